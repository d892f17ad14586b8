import type { Job } from '#platform/module.ts';
import { hotEntriesDeclaration } from '../consumers/entries.ts';
import type { QueueDeps } from '../deps.ts';
import type { KnownEvents } from '../ports.ts';
import type { QueueMetrics } from '../service/queue-metrics.ts';

const everyMs = 10_000;

/** Entries of hot events have a consumer of their own, which somebody must have started. Raises the alarm when nobody did. */
export function createHotWatchJob(
  deps: Pick<QueueDeps, 'bus' | 'logger'> & { known: KnownEvents; metrics: QueueMetrics },
): Job {
  const { bus, logger, known, metrics } = deps;
  const { topic, group } = hotEntriesDeclaration;
  /** Partition → where the consumer stood at the last look, while something was waiting there. */
  let behind = new Map<number, number>();
  let alarmed = false;

  return {
    name: 'queue-hot-watch',
    everyMs,
    async run() {
      const hot = known.onSale().filter((event) => event.hot);
      const partitions = (await bus.lag()).filter((lag) => lag.topic === topic.name && lag.group === group);
      const waiting = partitions.filter(({ lag }) => lag > 0);
      const stuck = waiting.filter(({ partition, committed }) => behind.get(partition) === committed);
      behind = new Map(waiting.map(({ partition, committed }) => [partition, committed]));
      // A group that was never there has no offsets at all.
      const unattended = stuck.length > 0 || (hot.length > 0 && partitions.length === 0);
      metrics.hotUnattended(unattended);
      if (unattended) {
        const entries = waiting.reduce((sum, { lag }) => sum + lag, 0);
        const events = hot.slice(0, namedMax).map((event) => event.eventId);
        logger.error({ entries, events }, 'hot events are on sale and nobody runs the role queue-hot');
      } else if (alarmed) logger.info('entries of hot events are consumed again');
      alarmed = unattended;
    },
  };
}

const namedMax = 10;
