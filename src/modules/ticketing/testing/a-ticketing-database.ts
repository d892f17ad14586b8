import type { Database } from '#platform/postgres/database.ts';
import { migrate } from '#platform/postgres/migrate.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { aDatabase } from '#test/kit/engines/database.ts';

/** A database of this test file's own, with room for statements that wait for each other. */
export async function aTicketingDatabase({ poolMax = 10 } = {}): Promise<Database> {
  const { url } = await aDatabase();
  const database = createDatabase({ url, poolMax, connectTimeoutMs: 60_000, statementTimeoutMs: 60_000 });
  atEnd(() => database.close());
  await migrate(database, [{ schema: 'ticketing', folder: new URL('../migrations/', import.meta.url) }]);
  return database;
}
