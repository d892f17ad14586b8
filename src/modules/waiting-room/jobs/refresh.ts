import { inParallel } from '#platform/concurrency/in-parallel.ts';
import type { Job } from '#platform/module.ts';
import type { Counters } from '../ports.ts';
import type { Epochs } from '../service/epochs.ts';
import type { Rooms } from '../service/rooms.ts';

const everyMs = 1_000;
const roomsAtOnce = 8;

/** Keeps what this process knows of the rooms fresh, so that visitors ask neither PostgreSQL nor the counters. */
export function createRefreshJob(deps: { rooms: Rooms; epochs: Epochs; counters: Counters }): Job {
  const { rooms, epochs, counters } = deps;
  return {
    name: 'waiting-room-refresh',
    everyMs,
    async run() {
      await rooms.refresh();
      const failures: unknown[] = [];
      await inParallel(rooms.active(), roomsAtOnce, async ({ eventId, epoch, given }) => {
        await epochs
          .withCounters(eventId, async (room) => {
            const counted = await counters.read({ eventId, epoch: room.epoch });
            if (counted.status !== 'ok') return counted;
            // The counters are those of an earlier moment, as after a machine was set back to a snapshot.
            if (room.epoch === epoch && counted.given < given) return { status: 'lost' } as const;
            rooms.saw(eventId, room.epoch, counted);
            return counted;
          })
          .catch((error: unknown) => failures.push(error));
      });
      if (failures.length > 0) throw failures[0];
    },
  };
}
