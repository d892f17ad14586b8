import { afterAll, expect, test } from 'vitest';
import { aDatabase } from '#test/kit/engines/database.ts';
import { eventually } from '#test/kit/faults.ts';
import { silentLogger } from '../telemetry/logger.ts';
import type { Database } from './database.ts';
import { takeExclusiveLock } from './exclusive-lock.ts';
import { createDatabase } from './pool.ts';

const { url } = await aDatabase();
const database = createDatabase({ url, poolMax: 4 });
afterAll(() => database.close());

const take = (key: number, onLost = () => {}) =>
  takeExclusiveLock(database, { key, name: `test lock ${key}`, logger: silentLogger, onLost });

const cutConnections = (key: number) =>
  database.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1', [
    `urr test lock ${key}`,
  ]);

const holderOf = async (key: number) => {
  const { rows } = await database.query<{ pid: number }>(
    `SELECT pid FROM pg_locks JOIN pg_stat_activity USING (pid)
     WHERE locktype = 'advisory' AND objid = $1 AND datname = current_database() AND application_name = $2`,
    [key, `urr test lock ${key}`],
  );
  return rows[0]?.pid;
};

test('one holds it, the second is refused, and after release the next may have it', async () => {
  const first = await take(1);
  expect(first).not.toBeNull();
  expect(await take(1)).toBeNull();
  await first?.release();
  const next = await take(1);
  expect(next).not.toBeNull();
  await next?.release();
});

test('a holder whose connection was cut takes the lock again', async () => {
  const lock = await take(2);
  const before = await holderOf(2);
  await cutConnections(2);
  // The server ends a session in its own time; until then the old holder is still listed.
  await eventually(
    async () => {
      const holder = await holderOf(2);
      return holder !== undefined && holder !== before;
    },
    { withinMs: 30_000, what: 'the lock to be held again' },
  );
  expect(await take(2)).toBeNull();
  await lock?.release();
});

test('a holder who lost it to another is told so', async () => {
  let lost = false;
  const lock = await take(3, () => {
    lost = true;
  });
  await cutConnections(3);
  const thief = await eventually(async () => (await take(3)) ?? false, {
    withinMs: 30_000,
    what: 'the lock to be free',
  });
  await eventually(() => lost, { withinMs: 30_000, what: 'the first holder to notice' });
  await thief.release();
  await lock?.release();
});

test('a lock that is released while it is being taken again is not held afterwards', async () => {
  const opening = Promise.withResolvers<void>();
  const mayGoOn = Promise.withResolvers<void>();
  const reopened = Promise.withResolvers<void>();
  let opened = 0;
  const slow: Database = {
    ...database,
    async session(name) {
      opened += 1;
      if (opened === 1) return database.session(name);
      opening.resolve();
      await mayGoOn.promise;
      const session = await database.session(name);
      reopened.resolve();
      return session;
    },
  };
  const lock = await takeExclusiveLock(slow, { key: 4, name: 'test lock 4', logger: silentLogger, onLost: () => {} });
  await cutConnections(4);
  await opening.promise;
  await lock?.release();
  mayGoOn.resolve();
  await reopened.promise;
  const open = () => database.query('SELECT 1 FROM pg_stat_activity WHERE application_name = $1', ['urr test lock 4']);
  await eventually(async () => (await open()).rowCount === 0, {
    withinMs: 30_000,
    what: 'the connection to be closed',
  });
});
