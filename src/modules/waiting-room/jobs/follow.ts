import type { Job } from '#platform/module.ts';
import type { WaitingRoomDeps } from '../deps.ts';
import { wholeSite } from '../domain/room.ts';
import type { Rooms } from '../service/rooms.ts';
import { renewFacts, roomsToTell } from '../storage/rooms.ts';

const everyMs = 5_000;
const factsEveryMs = 60_000;

/** Tells tier 2 of rooms that were switched off while it was away, and learns from the catalog when sales are moved. */
export function createFollowJob(
  deps: Pick<WaitingRoomDeps, 'database' | 'catalog' | 'clock' | 'logger'> & {
    rooms: Rooms;
    tellOff: (eventId: string) => Promise<void>;
  },
): Job {
  const { database, catalog, clock, logger, rooms, tellOff } = deps;
  let factsAtMs = Number.NEGATIVE_INFINITY;

  async function renew(eventId: string): Promise<void> {
    const { event } = await catalog.eventFacts({ eventId });
    if (event === null) return;
    await renewFacts(database, eventId, { title: event.title, closesAtMs: Date.parse(event.saleClosesAt) });
  }

  return {
    name: 'waiting-room-follow',
    everyMs,
    async run() {
      // One that tier 2 does not take keeps no other from being told.
      for (const eventId of await roomsToTell(database))
        await tellOff(eventId).catch((error: unknown) =>
          logger.warn({ err: error, eventId }, 'tier 2 has not heard yet that a waiting room is off; it is told again'),
        );
      if (clock.monotonicMs() - factsAtMs < factsEveryMs) return;
      factsAtMs = clock.monotonicMs();
      for (const { eventId } of rooms.active()) {
        if (eventId === wholeSite) continue;
        await renew(eventId).catch((error: unknown) =>
          logger.debug({ err: error, eventId }, 'the catalog does not say when a sale closes; what was known stays'),
        );
      }
    },
  };
}
