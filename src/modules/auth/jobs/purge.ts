import type { Job } from '#platform/module.ts';
import type { Database } from '#platform/postgres/database.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import { purgeBatches } from '../storage/purge.ts';

const everyMs = 10 * 60_000;
const batchSize = 500;
/** Per run and table. What is left waits for the next run rather than keeping the database busy. */
const batchesMax = 40;

/** Forgets what has expired. Safe to run in every process at once: rows that another one deletes are skipped. */
export function purgeJob({ database, logger }: { database: Database; logger: Logger }): Job {
  return {
    name: 'auth-purge',
    everyMs,
    async run(signal) {
      for (const purge of purgeBatches) {
        let deleted = 0;
        for (let done = 0; done < batchesMax && !signal.aborted; done++) {
          const count = await purge.delete(database, batchSize);
          deleted += count;
          if (count < batchSize) break;
        }
        if (deleted > 0) logger.debug({ deleted, what: purge.what }, 'purged');
      }
    },
  };
}
