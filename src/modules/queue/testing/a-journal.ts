import type { Database } from '#platform/postgres/database.ts';
import { migrate } from '#platform/postgres/migrate.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import type { QueueJournal } from '../ports.ts';
import { createJournal } from '../storage/journal.ts';

export interface TestJournal {
  readonly database: Database;
  readonly journal: QueueJournal;
}

/** The journal on a PostgreSQL database of this test file's own. */
export async function aJournal(): Promise<TestJournal> {
  const { url } = await aDatabase();
  const database = createDatabase({ url, poolMax: 8 });
  atEnd(() => database.close());
  await migrate(database, [{ schema: 'queue', folder: new URL('../migrations/', import.meta.url) }]);
  return { database, journal: createJournal({ database }) };
}
