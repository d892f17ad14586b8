import type { Clock } from '#platform/clock.ts';
import { inParallel } from '#platform/concurrency/in-parallel.ts';
import type { Job } from '#platform/module.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import type { DeniedMark, QueueStore } from '../ports.ts';
import { createDenySet, type DenySet } from './deny-set.ts';

export interface DeniedEntries {
  readonly denied: Pick<DenySet, 'has'>;
  readonly job: Job;
}

/** With the tenth by which jobs vary and the reading itself it stays below a second. */
const everyMs = 800;
const eventsMax = 2_000;
const snapshotsAtOnce = 8;

/**
 * The deny set for a gateway whose process does not run the queue: read from the store each second. With the store away
 * the signature alone decides, as it would have until the token's own end.
 */
export function createDeniedEntries(deps: {
  store: Pick<QueueStore, 'activeEvents' | 'snapshot'>;
  clock: Clock;
  logger: Logger;
}): DeniedEntries {
  const { store, clock, logger } = deps;
  const denied = createDenySet({ clock });
  /** Of active events: how many of their denied slots are known here. */
  const marks = new Map<string, DeniedMark>();
  return {
    denied,
    job: {
      name: 'queue-denied-entries',
      everyMs,
      async run(signal) {
        denied.forgetEnded();
        const events = (await store.activeEvents()).slice(0, eventsMax);
        const active = new Set(events);
        for (const eventId of marks.keys()) if (!active.has(eventId)) marks.delete(eventId);
        await inParallel(events, snapshotsAtOnce, async (eventId) => {
          if (signal.aborted) return;
          try {
            const deniedSince = marks.get(eventId);
            const snapshot = await store.snapshot({ eventId, ...(deniedSince !== undefined && { deniedSince }) });
            // A state that was lost is brought back by the processes of the queue.
            if (snapshot.status !== 'ok') return;
            denied.add(snapshot.denied);
            marks.set(eventId, snapshot.deniedMark);
          } catch (error) {
            logger.warn({ err: error, eventId }, 'slots that ended early could not be read');
          }
        });
      },
    },
  };
}
