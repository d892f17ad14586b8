import { isoTime } from '#platform/clock.ts';
import type { CatalogDeps } from '../ports.ts';
import { catalogViews } from '../topics.ts';

export interface ViewBuffer {
  /** Costs one addition: this is on the path of every look at an event. */
  record(eventId: string): void;
  flush(): Promise<void>;
}

/** Beyond this many different events between two flushes, views of further ones are not counted. */
const eventsMax = 10_000;
const batchSizeMax = 500;

/**
 * Views gathered in this process and sent once a second, one message per event. A count may be a little short: what
 * the broker does not take is dropped, with a line in the log, rather than kept for ever.
 */
export function createViewBuffer({ bus, clock, logger }: Pick<CatalogDeps, 'bus' | 'clock' | 'logger'>): ViewBuffer {
  let counts = new Map<string, number>();
  let dropped = 0;

  return {
    record(eventId) {
      const count = counts.get(eventId);
      if (count !== undefined || counts.size < eventsMax) counts.set(eventId, (count ?? 0) + 1);
      else dropped += 1;
    },

    async flush() {
      const at = isoTime(clock.now());
      const events = [...counts].map(([eventId, count]) => ({
        type: 'EVENT_VIEWED' as const,
        key: eventId,
        data: { eventId, count, at },
      }));
      let lost = dropped;
      let cause: unknown;
      counts = new Map();
      dropped = 0;
      for (let from = 0; from < events.length; from += batchSizeMax) {
        const batch = events.slice(from, from + batchSizeMax);
        // One refusal is enough to know that the broker is away; every further try would cost its whole timeout.
        if (cause === undefined)
          cause = await bus.publishNow(catalogViews, batch).then(
            () => undefined,
            (error) => error,
          );
        if (cause !== undefined) lost += batch.reduce((sum, event) => sum + event.data.count, 0);
      }
      if (lost > 0) logger.warn({ err: cause, lost }, 'views were not counted');
    },
  };
}
