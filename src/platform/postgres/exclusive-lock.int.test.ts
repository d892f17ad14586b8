import { afterAll, expect, test } from 'vitest';
import { aDatabase } from '#test/kit/engines/database.ts';
import { eventually } from '#test/kit/faults.ts';
import { silentLogger } from '../telemetry/logger.ts';
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
  await cutConnections(2);
  await eventually(
    async () =>
      (await database.query(`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = 2`)).rowCount === 1,
    {
      withinMs: 30_000,
      what: 'the lock to be held again',
    },
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
