import { isoTime } from '#platform/clock.ts';
import type { Job } from '#platform/module.ts';
import type { QueueDeps } from '../deps.ts';
import { isInStore } from '../service/event-view.ts';
import type { Snapshots } from '../service/snapshots.ts';
import { queueEvents } from '../topics.ts';

const everyMs = 60_000;
const batchMax = 500;

/**
 * Tells each minute what happened in the queues, for statistics. Sums since the beginning of the epoch and not
 * differences: any number of processes may say the same, and a minute that the broker missed is in the next.
 */
export function createTotalsJob({
  bus,
  clock,
  snapshots,
}: Pick<QueueDeps, 'bus' | 'clock'> & { snapshots: Snapshots }): Job {
  const told = new Map<string, string>();
  return {
    name: 'queue-totals',
    everyMs,
    async run() {
      const at = isoTime(clock.now());
      const changed = [...snapshots.views()].filter(isInStore).flatMap(({ eventId, snapshot }) => {
        const { joined, admitted, left, noShows } = snapshot.totals;
        const totals = { epoch: snapshot.epoch, joined, admitted, left, noShows };
        const text = JSON.stringify(totals);
        return told.get(eventId) === text ? [] : [{ eventId, totals, text }];
      });
      for (let from = 0; from < changed.length; from += batchMax) {
        const batch = changed.slice(from, from + batchMax);
        await bus.publishNow(
          queueEvents,
          batch.map(({ eventId, totals }) => ({
            type: 'QUEUE_TOTALS' as const,
            key: eventId,
            data: { eventId, at, ...totals },
          })),
        );
        for (const { eventId, text } of batch) told.set(eventId, text);
      }
      const live = new Set([...snapshots.views()].map(({ eventId }) => eventId));
      for (const eventId of told.keys()) if (!live.has(eventId)) told.delete(eventId);
    },
  };
}
