import type { Job } from '#platform/module.ts';
import type { WaitingRoomDeps } from '../deps.ts';
import { type AutoRate, createAutoRate, type Demand } from '../domain/auto-rate.ts';
import { admitWithinSecondsUsual, rateOf, wholeSite } from '../domain/room.ts';
import type { KnownRoom, Rooms } from '../service/rooms.ts';
import { type SavedFlow, saveFlows } from '../storage/rooms.ts';

const everyMs = 2_000;
/** So many events are asked about in one call. */
const askedMax = 50;

/**
 * Learns how busy the line behind each room is, says when it is sold out there, and decides the rate of the rooms that follow
 * it. Done by the process that serves the line; what it decided is kept, so that the next one goes on from there.
 */
export function createFlowJob(
  deps: Pick<WaitingRoomDeps, 'database' | 'clock' | 'queue' | 'config' | 'logger'> & { rooms: Rooms },
): { readonly job: Job; led(eventIds: readonly string[]): void } {
  const { database, clock, queue, config, logger, rooms } = deps;
  const autos = new Map<string, AutoRate>();
  let ledNow: readonly string[] = [];

  function decide(room: KnownRoom, demand: Demand): SavedFlow {
    const { eventId, servingLine: served, isAuto, soldOut } = room;
    if (demand.soldOut !== soldOut)
      logger.info(
        { eventId, soldOut: demand.soldOut },
        'behind a waiting room the tickets are gone, or there are some again',
      );
    if (!isAuto) return { eventId, autoRate: null, soldOut: demand.soldOut };
    const auto = autos.get(eventId) ?? createAutoRate();
    autos.set(eventId, auto);
    const before = room.autoRate ?? rateOf(room, { nowMs: clock.now(), usual: config.ratePerSecond });
    const withinSeconds = room.admitWithinSeconds ?? admitWithinSecondsUsual;
    const decision = auto.decide({ atMs: clock.monotonicMs(), served, before, withinSeconds, demand });
    // So that anyone can say afterwards why the line was as fast as it was.
    logger.info({ eventId, ...decision, before, withinSeconds, demand }, 'the rate of a waiting room was decided');
    return { eventId, autoRate: decision.rate, soldOut: demand.soldOut };
  }

  return {
    led(eventIds) {
      ledNow = eventIds;
    },
    job: {
      name: 'waiting-room-flow',
      everyMs,
      async run() {
        // Behind the room of the whole site there is no line.
        const asked = ledNow.filter((eventId) => eventId !== wholeSite);
        for (const eventId of autos.keys()) if (!asked.includes(eventId)) autos.delete(eventId);
        for (let first = 0; first < asked.length; first += askedMax) {
          // Of whom nothing can be said the rate stays as it was.
          const { events } = await queue.demand({ eventIds: asked.slice(first, first + askedMax) });
          const flows = events.flatMap(({ eventId, ...demand }) => {
            const room = rooms.get(eventId);
            return room === null ? [] : [decide(room, demand)];
          });
          if (flows.length === 0) continue;
          await saveFlows(database, flows);
          for (const { eventId } of flows) await rooms.reload(eventId);
        }
      },
    },
  };
}
