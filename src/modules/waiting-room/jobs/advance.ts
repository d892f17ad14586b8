import { inParallel } from '#platform/concurrency/in-parallel.ts';
import type { Job } from '#platform/module.ts';
import type { WaitingRoomDeps } from '../deps.ts';
import { boundLead, rateOf } from '../domain/room.ts';
import type { Epochs } from '../service/epochs.ts';
import type { ReachForgottenPlaces } from '../service/forgotten-places.ts';
import type { Numbers } from '../service/numbers.ts';
import type { KnownRoom, Rooms } from '../service/rooms.ts';
import { type SavedCounters, saveCounters } from '../storage/rooms.ts';

/** Ten small steps a second look like a flow. */
const everyMs = 100;
const leaseMs = 2_000;
const saveEveryMs = 1_000;
/** While another process has the lease it is asked for no more often than this. */
const heldPauseMs = 500;
const roomsAtOnce = 8;
/** So far ahead of what was served the line goes where a loss has forgotten places. */
const reachSeconds = 0.25;

/**
 * Serves the lines. Any number of processes run it; for each room one of them has the lease. The same one saves the counters
 * each second, and keeps the durable bound ahead of them.
 */
export function createAdvanceJob(
  deps: Pick<WaitingRoomDeps, 'database' | 'clock' | 'ids' | 'counters' | 'config' | 'logger'> & {
    rooms: Rooms;
    epochs: Epochs;
    numbers: Pick<Numbers, 'raise'>;
    reach: ReachForgottenPlaces;
    /** The rooms whose line this process serves. */
    led: (eventIds: readonly string[]) => void;
  },
): Job {
  const { database, clock, ids, counters, config, logger, rooms, epochs, numbers, reach } = deps;
  const owner = ids.next();
  const saved = new Map<string, { epoch: number; given: number; serving: number; atMs: number }>();
  let savedAtMs = Number.NEGATIVE_INFINITY;

  const heldUntilMs = new Map<string, number>();

  /** True: this process has the lease. */
  async function advance(eventId: string): Promise<boolean> {
    if (clock.monotonicMs() < (heldUntilMs.get(eventId) ?? Number.NEGATIVE_INFINITY)) return false;
    const answer = await epochs.withCounters(eventId, async (room) => {
      const ratePerSecond = rateOf(room, { nowMs: clock.now(), usual: config.ratePerSecond });
      const counted = await counters.advance({ eventId, epoch: room.epoch, ratePerSecond, owner, leaseMs });
      if (counted.status !== 'ok') return counted;
      rooms.saw(eventId, room.epoch, counted);
      const reached = await reach(room, ratePerSecond * reachSeconds);
      return reached.status === 'ok' ? counted : reached;
    });
    if (answer.status === 'held') heldUntilMs.set(eventId, clock.monotonicMs() + heldPauseMs);
    else heldUntilMs.delete(eventId);
    return answer.status === 'ok';
  }

  async function save(led: readonly KnownRoom[]): Promise<void> {
    const nowMs = clock.monotonicMs();
    if (nowMs - savedAtMs < saveEveryMs) return;
    savedAtMs = nowMs;
    const changed: SavedCounters[] = [];
    for (const { eventId, epoch, givenSeen: given, servingLine: serving } of led) {
      const before = saved.get(eventId);
      const isSame = before?.epoch === epoch && before.given === given && before.serving === serving;
      if (!isSame) changed.push({ eventId, epoch, given, serving });
    }
    if (changed.length > 0) await saveCounters(database, changed);
    await inParallel(led, roomsAtOnce, (room) => keepAhead(room, nowMs));
    for (const { eventId, epoch, given, serving } of changed)
      saved.set(eventId, { epoch, given, serving, atMs: nowMs });
  }

  async function keepAhead(room: KnownRoom, nowMs: number): Promise<void> {
    const before = saved.get(room.eventId);
    const seconds = before === undefined ? 1 : Math.max(1, (nowMs - before.atMs) / 1000);
    const perSecond = before?.epoch === room.epoch ? Math.max(0, room.givenSeen - before.given) / seconds : 0;
    const lead = boundLead(perSecond);
    if (room.boundSeen - room.givenSeen < lead / 2) await numbers.raise(room, lead);
  }

  return {
    name: 'waiting-room-advance',
    everyMs,
    async run() {
      const led: KnownRoom[] = [];
      const failures: unknown[] = [];
      await inParallel(rooms.active(), roomsAtOnce, async ({ eventId }) => {
        const isLed = await advance(eventId).catch((error: unknown) => void failures.push(error));
        const room = rooms.get(eventId);
        if (isLed === true && room !== null) led.push(room);
      });
      deps.led(led.map(({ eventId }) => eventId));
      // Numbers go on up to the bound while PostgreSQL is away, and the line is served all the same.
      await save(led).catch((error: unknown) => {
        logger.warn({ err: error }, 'the counters of the waiting rooms were not saved; they are saved again');
      });
      if (failures.length > 0) throw failures[0];
    },
  };
}
