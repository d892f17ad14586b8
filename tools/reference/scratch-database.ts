import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrationSets } from '#app/migrations.ts';
import type { Database } from '#platform/postgres/database.ts';
import { startEmbeddedPostgres } from '#platform/postgres/embedded/start.ts';
import { migrate } from '#platform/postgres/migrate.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';

/** Lends a freshly migrated database that is gone afterwards. */
export async function withMigratedDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'urr-generate-'));
  // As root the server runs as another user, who has to pass through.
  await chmod(folder, 0o711);
  try {
    const server = await startEmbeddedPostgres({
      dataDir: join(folder, 'postgres'),
      logger: silentLogger,
      settings: { fsync: 'off' },
    });
    try {
      const database = createDatabase({ url: server.url, poolMax: 2 });
      try {
        await migrate(database, migrationSets);
        return await work(database);
      } finally {
        await database.close();
      }
    } finally {
      await server.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
