import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '#platform/clock.ts';
import type { Job } from '#platform/module.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import type { EventStates, QueueConfig, QueueJournal, QueueStore, StoreSnapshot } from '../ports.ts';

export interface CleanUpDeps {
  readonly store: QueueStore;
  readonly journal: QueueJournal;
  readonly states: EventStates;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly config: Pick<QueueConfig, 'seenTtlMs' | 'cleanupIntervalMs'>;
}

const batchSize = 1_000;
/** A million in one run; the rest waits for the next. */
const batchesMax = 1_000;
/** Between two batches the store serves others. */
const pauseMs = 20;
const pruneBatchesMax = 20;
/** From one sign of life to the next of somebody who is there: a minute between two polls, and 40 s until it is told. */
const everybodySeenMs = 120_000;
/** So long after its sale nobody is likely to come back to an event. */
const finishedForMs = 600_000;
/** Finished events that one run takes out of the store at most. */
const removalsMax = 100;

/** Frees memory, and nothing else: anyone who is forgotten keeps the place by the waiting ticket. */
export function createCleanUpJob({ store, journal, states, clock, logger, config }: CleanUpDeps): Job {
  /** Since when every run found the store. Who was silent while it, or every process, was away may have been there. */
  let soundSinceMs: number | null = null;

  async function activeEvents(): Promise<string[]> {
    const events = await store.activeEvents().catch((error: unknown) => {
      soundSinceMs = null;
      throw error;
    });
    soundSinceMs ??= clock.monotonicMs();
    return events;
  }

  async function forget(eventId: string, signal: AbortSignal): Promise<number> {
    if (soundSinceMs === null || clock.monotonicMs() - soundSinceMs < everybodySeenMs) return 0;
    let total = 0;
    for (let batch = 0; batch < batchesMax && !signal.aborted; batch++) {
      const { forgotten } = await states.withState<{ forgotten: number }>(eventId, () =>
        store.forget({ eventId, seenTtlMs: config.seenTtlMs, limit: batchSize }),
      );
      total += forgotten;
      if (forgotten < batchSize) break;
      await delay(pauseMs);
    }
    return total;
  }

  async function cleanUp(eventId: string, signal: AbortSignal): Promise<void> {
    const forgotten = await forget(eventId, signal);
    if (forgotten > 0) logger.info({ eventId, forgotten }, 'waiting users who were away for long were forgotten');
    const { waiting, parked, active, denied } = await states.withState<StoreSnapshot>(eventId, () =>
      store.snapshot({ eventId }),
    );
    // What the journal has not taken yet still needs ticks, and gateways read of active events which tokens are denied.
    const { backlog } = await states.withState(eventId, () => store.changes({ eventId, limit: 0 }));
    if (waiting + parked + active + backlog + denied.length === 0) await store.dropIdle(eventId);
  }

  /**
   * The journal has all of it, so that a late ticket brings it back and a spent one still is spent. The store goes first: if
   * this process dies in between, the next run finds the event once more and has only the mark to make.
   */
  async function remove(eventId: string): Promise<void> {
    const { epoch } = await journal.open(eventId);
    const { removed } = await store.remove({ eventId, epoch });
    if (!removed) return;
    await journal.markRemoved(eventId, epoch);
    logger.info({ eventId, epoch }, 'an event whose sale is over was taken out of the store');
  }

  async function removeFinished(signal: AbortSignal): Promise<void> {
    for (const eventId of await journal.finished({ byMs: clock.now() - finishedForMs, limit: removalsMax })) {
      if (signal.aborted) return;
      await remove(eventId).catch((error: unknown) =>
        logger.warn(
          { err: error, eventId },
          'a finished event was not taken out of the store; the next run tries again',
        ),
      );
    }
  }

  return {
    name: 'queue-clean-up',
    everyMs: config.cleanupIntervalMs,
    async run(signal) {
      for (const eventId of await activeEvents()) {
        if (signal.aborted) return;
        await cleanUp(eventId, signal).catch((error: unknown) =>
          logger.warn({ err: error, eventId }, 'a queue was not cleaned up; the next run tries again'),
        );
      }
      await removeFinished(signal);
      for (let batch = 0; batch < pruneBatchesMax && !signal.aborted; batch++) {
        if ((await journal.prune()) === 0) break;
      }
    },
  };
}
