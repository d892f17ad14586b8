import type { Job } from '#platform/module.ts';
import type { QueueMetrics } from '../service/queue-metrics.ts';
import type { SignsOfLife } from '../service/signs-of-life.ts';
import type { Snapshots } from '../service/snapshots.ts';

const everyMs = 1_000;

/** What lets polls leave the store alone: once a second, whatever the number of people. */
export function createRefreshJobs(deps: { snapshots: Snapshots; signs: SignsOfLife; metrics: QueueMetrics }): Job[] {
  const { snapshots, signs, metrics } = deps;
  return [
    {
      name: 'queue-snapshots',
      everyMs,
      async run(signal) {
        metrics.flush();
        await snapshots.refreshAll(signal);
      },
    },
    // On its own: a long flush after an outage must not make the snapshots old.
    { name: 'queue-signs-of-life', everyMs, run: () => signs.flush() },
  ];
}
