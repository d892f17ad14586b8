import type { Job } from '#platform/module.ts';
import type { QueueMetrics } from '../service/queue-metrics.ts';
import type { SignsOfLife } from '../service/signs-of-life.ts';
import type { Snapshots } from '../service/snapshots.ts';

const everyMs = 1_000;
/** Carries the slots that ended early to the gateway: with the tenth by which jobs vary it stays below a second. */
const snapshotsEveryMs = 800;

/** What lets polls leave the store alone: about once a second, whatever the number of people. */
export function createRefreshJobs(deps: { snapshots: Snapshots; signs: SignsOfLife; metrics: QueueMetrics }): Job[] {
  const { snapshots, signs, metrics } = deps;
  return [
    {
      name: 'queue-snapshots',
      everyMs: snapshotsEveryMs,
      async run(signal) {
        metrics.flush();
        await snapshots.refreshAll(signal);
      },
    },
    // On its own: a long flush after an outage must not make the snapshots old.
    { name: 'queue-signs-of-life', everyMs, run: () => signs.flush() },
  ];
}
