import type { ProtectedCalls } from '#modules/gateway/contract.ts';
import type { Clock } from '#platform/clock.ts';
import type { Job } from '#platform/module.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import type { OriginReports } from '../deps.ts';
import { addCounts, createLatencyWindow, healthOf } from '../domain/latency-window.ts';
import type { QueueConfig, QueueStore } from '../ports.ts';
import type { OriginLoop } from './origin-loop.ts';
import { createSlotClaims } from './slot-claims.ts';

/** What the gateway of this process tells the queue, wherever that runs. */
export interface ProtectedCallWatch {
  readonly calls: ProtectedCalls;
  readonly jobs: readonly Job[];
  /** Tells what was not told yet. */
  stop(): Promise<void>;
}

const everyMs = 1_000;

/**
 * Every answer behind an entry token says how the origin is doing. Each process sees its own share of them, so they are
 * put together through `reports` before anybody decides by them.
 */
export function createProtectedCallWatch(deps: {
  store: Pick<QueueStore, 'claim'>;
  reports: OriginReports;
  clock: Clock;
  logger: Logger;
  config: Pick<QueueConfig, 'activeSeenTtlMs'>;
  /** Where people are admitted by the origin's health; elsewhere it is only told. */
  loop: OriginLoop | null;
}): ProtectedCallWatch {
  const { reports, clock, loop } = deps;
  const window = createLatencyWindow();
  const claims = createSlotClaims(deps);
  return {
    calls: {
      entered: claims.note,
      answered: ({ ms, failed }) => window.note({ ms, failed, nowMs: clock.monotonicMs() }),
    },
    stop: claims.flush,
    jobs: [
      { name: 'queue-slot-claims', everyMs, run: () => claims.flush() },
      {
        name: 'queue-origin-health',
        everyMs,
        async run() {
          const own = window.counts(clock.monotonicMs());
          if (loop === null && own === null) return;
          const all = await reports.exchange(own);
          loop?.decide(healthOf(addCounts(all)));
        },
      },
    ],
  };
}
