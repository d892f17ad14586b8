import type { Database } from '#platform/postgres/database.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { putDatabaseClockForward } from '#test/kit/database-clock.ts';
import { aDatabase } from '#test/kit/engines/database.ts';

export interface SandboxDatabase {
  readonly database: Database;
  /** Another process's way to the same database. */
  another(options?: { poolMax: number }): Database;
  now(): Promise<number>;
  passTime(ms: number): Promise<void>;
}

/** A database whose time a test owns. */
export async function aSandboxDatabase(): Promise<SandboxDatabase> {
  const { url } = await aDatabase();
  let passedMs = 0;
  const another = ({ poolMax } = { poolMax: 10 }) => {
    const database = createDatabase({ url, poolMax, connectTimeoutMs: 60_000, statementTimeoutMs: 60_000 });
    atEnd(() => database.close());
    return database;
  };
  const database = another();
  return {
    database,
    another,
    async now() {
      const { rows } = await database.query<{ now: Date }>('SELECT urr.now() AS now');
      return rows[0]?.now.getTime() ?? Number.NaN;
    },
    async passTime(ms) {
      passedMs += ms;
      await putDatabaseClockForward(database, passedMs);
    },
  };
}
