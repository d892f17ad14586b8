import { expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { jobJitter } from '#platform/lifecycle/jobs.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { createDeniedEntries } from '../service/denied-entries.ts';
import type { QueueMetrics } from '../service/queue-metrics.ts';
import type { SignsOfLife } from '../service/signs-of-life.ts';
import type { Snapshots } from '../service/snapshots.ts';
import { createMemoryStore } from '../storage/memory-store.ts';
import { createRefreshJobs } from './refresh.ts';

// Only how often they run is asked, so what they run with is never touched.
const [snapshots] = createRefreshJobs({
  snapshots: {} as Snapshots,
  signs: {} as SignsOfLife,
  metrics: {} as QueueMetrics,
});
const store = createMemoryStore({ clock: systemClock });
const { job: denied } = createDeniedEntries({ store, clock: systemClock, logger: silentLogger });

test.each([snapshots, denied])('a slot that ended early is known everywhere within a second: $name', (job) => {
  // With a tenth of a second for the run itself.
  expect((job?.everyMs ?? 0) * (1 + jobJitter) + 100).toBeLessThanOrEqual(1_000);
});
