import { purgeIdempotencyKeys } from '#platform/idempotency.ts';
import type { Job } from '#platform/module.ts';
import type { OpenEngines } from './engines/parts.ts';

const idempotencyKeptHours = 48;
const purgeBatch = 1_000;
const purgeBatchesMax = 100;

/** Housekeeping of what every database of urr has. Safe to run in many processes. */
export function platformJobs({ database }: OpenEngines): Job[] {
  if (database === null) return [];
  return [
    {
      name: 'purge-idempotency-keys',
      everyMs: 600_000,
      async run(signal) {
        for (let batch = 0; batch < purgeBatchesMax && !signal.aborted; batch++) {
          const removed = await purgeIdempotencyKeys(database, {
            olderThanHours: idempotencyKeptHours,
            batch: purgeBatch,
          });
          if (removed < purgeBatch) return;
        }
      },
    },
  ];
}
