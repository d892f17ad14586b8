import { copyFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { migrate, platformMigrations } from '#platform/postgres/migrate.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { anEmptyDatabase } from '#test/kit/engines/database.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { appendToOutbox, findLanes, readLanes } from './outbox.ts';

const { url } = await anEmptyDatabase();
const database = createDatabase({ url, poolMax: 2, connectTimeoutMs: 60_000 });
afterAll(() => database.close());

/** The schema as it was before lanes and letters. */
async function migrateToEarlierVersion(): Promise<void> {
  const folder = await aFolder('earlier');
  const from = fileURLToPath(platformMigrations.folder);
  for (const name of await readdir(from)) if (name < '0004') await copyFile(join(from, name), join(folder, name));
  await migrate(database, [{ schema: platformMigrations.schema, folder: pathToFileURL(`${folder}/`) }]);
}

/** As an earlier version of the program does it. */
const earlier = {
  publish: (count: number) =>
    database.query(
      `INSERT INTO urr.outbox (topic, partition, key, event_id, type, envelope)
       SELECT 'orders', 0, 'key', gen_random_uuid(), 'ORDERED', '{"n":1}' FROM generate_series(1, $1)`,
      [count],
    ),
  relay: async () => (await database.query(`SELECT topic, partition, appended FROM urr.relay_to_log('{0}', 100)`)).rows,
};

const filesOfOutbox = async () =>
  (await database.query<{ file: number }>(`SELECT pg_relation_filenode('urr.outbox') AS file`)).rows[0]?.file;

test('processes of an earlier version go on after the migration, which does not rewrite the outbox', async () => {
  await migrateToEarlierVersion();
  await earlier.publish(2);
  const file = await filesOfOutbox();
  await migrate(database, [platformMigrations]);
  expect(await filesOfOutbox()).toBe(file);

  expect(await earlier.relay()).toEqual([{ topic: 'orders', partition: 0, appended: 2 }]);
  await earlier.publish(1);
  expect(await earlier.relay()).toEqual([{ topic: 'orders', partition: 0, appended: 1 }]);
  const { rows } = await database.query(`SELECT FROM pg_indexes WHERE indexname = 'outbox_unpublished'`);
  expect(rows).toHaveLength(1);
});

test('rows of an earlier version, whose length nobody has noted, are read beside new ones', async () => {
  await earlier.publish(1);
  const value = '{"n":2,"text":"ü"}';
  const eventId = '01890a5d-ac96-774b-bcce-b302099a8057';
  await appendToOutbox(database, [
    { topic: 'orders', partition: 0, key: 'key', eventId, type: 'ORDERED', value, headers: null },
  ]);
  await findLanes(database);
  const lane = { topic: 'orders', partition: 0 };
  const read = await readLanes(database, [lane], { rowsMax: 10, bytesMax: 1_000_000 });
  expect(read).toMatchObject([
    { value: '{"n":1}', bytes: expect.any(Number) },
    { value, bytes: Buffer.byteLength(value) },
  ]);
  expect(read[0]?.bytes).toBeGreaterThanOrEqual('{"n":1}'.length);
});
