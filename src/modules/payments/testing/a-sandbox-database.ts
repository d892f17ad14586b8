import type { Database } from '#platform/postgres/database.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { setDatabaseClock } from '#test/kit/database-clock.ts';
import { aDatabase } from '#test/kit/engines/database.ts';

export interface SandboxDatabase {
  readonly database: Database;
  /** Another process's way to the same database. */
  another(options?: { poolMax: number }): Database;
  now(): Promise<number>;
  passTime(ms: number): Promise<void>;
}

/** A database whose time stands still until the test lets it pass. */
export async function aSandboxDatabase(): Promise<SandboxDatabase> {
  const { url } = await aDatabase();
  let nowMs = Date.parse('2027-03-01T11:00:00.000Z');
  const another = ({ poolMax } = { poolMax: 10 }) => {
    const database = createDatabase({ url, poolMax, connectTimeoutMs: 60_000, statementTimeoutMs: 60_000 });
    atEnd(() => database.close());
    return database;
  };
  const database = another();
  await setDatabaseClock(database, new Date(nowMs));
  return {
    database,
    another,
    now: async () => nowMs,
    async passTime(ms) {
      nowMs += ms;
      await setDatabaseClock(database, new Date(nowMs));
    },
  };
}
