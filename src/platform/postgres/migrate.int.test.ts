import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { anEmptyDatabase } from '#test/kit/engines/database.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { eventually } from '#test/kit/faults.ts';
import { type MigrationSet, migrate, pendingMigrations, platformMigrations, schemaProblem } from './migrate.ts';
import { createDatabase } from './pool.ts';

const { url } = await anEmptyDatabase();
const database = createDatabase({ url, poolMax: 4 });
afterAll(() => database.close());

let folder: string;
let set: MigrationSet;
let counter = 0;
beforeEach(async () => {
  folder = await aFolder('migrations');
  counter += 1;
  set = { schema: `shop${counter}`, folder: pathToFileURL(`${folder}/`) };
});

const add = (name: string, sql: string) => writeFile(join(folder, name), sql);

test('files run once, in order, and are remembered', async () => {
  await add('0001_shelf.sql', `CREATE TABLE ${set.schema}.shelf (id integer)`);
  await add('0002_label.sql', `ALTER TABLE ${set.schema}.shelf ADD COLUMN label text`);
  expect((await migrate(database, [set])).map((m) => m.name)).toEqual(['0001_shelf.sql', '0002_label.sql']);
  expect(await migrate(database, [set])).toEqual([]);
  expect(await pendingMigrations(database, [set])).toEqual([]);
});

test('a dry run lists and changes nothing', async () => {
  await add('0001_shelf.sql', `CREATE TABLE ${set.schema}.shelf (id integer)`);
  expect(await migrate(database, [set], { dryRun: true })).toHaveLength(1);
  expect(await pendingMigrations(database, [set])).toHaveLength(1);
});

test('a file that was changed after it ran is refused by name', async () => {
  await add('0001_shelf.sql', `CREATE TABLE ${set.schema}.shelf (id integer)`);
  await migrate(database, [set]);
  await add('0001_shelf.sql', `CREATE TABLE ${set.schema}.shelf (id bigint)`);
  await expect(migrate(database, [set])).rejects.toThrow(`${set.schema}/0001_shelf.sql was changed after it ran`);
});

test('what a newer version has done is named, and is no schema of this version', async () => {
  // Of its own: what other tests have migrated would be unknown, too.
  const own = createDatabase({ url: (await anEmptyDatabase()).url, poolMax: 4 });
  onTestFinished(() => own.close());
  await add('0001_shelf.sql', `CREATE TABLE ${set.schema}.shelf (id integer)`);
  await migrate(own, [set]);
  expect(await schemaProblem(own, [set])).toBeNull();
  await add('0002_newer.sql', `ALTER TABLE ${set.schema}.shelf ADD COLUMN label text`);
  expect(await schemaProblem(own, [set])).toContain('1 migrations have not run');
  await migrate(own, [set]);
  await rm(join(folder, '0002_newer.sql'));
  expect(await schemaProblem(own, [set])).toContain(`newer version: ${set.schema}/0002_newer.sql ran here`);
  // An older process that is started again while a newer one has migrated does no harm; it is not ready.
  expect(await migrate(own, [set])).toEqual([]);
});

test('a file that fails leaves nothing behind and can be mended', async () => {
  await add('0001_broken.sql', `CREATE TABLE ${set.schema}.shelf (id integer); SELECT nonsense;`);
  await expect(migrate(database, [set])).rejects.toThrow('0001_broken.sql failed');
  await add('0001_broken.sql', `CREATE TABLE ${set.schema}.shelf (id integer)`);
  expect(await migrate(database, [set])).toHaveLength(1);
});

test('ten processes that start at once migrate once', async () => {
  await add('0001_shelf.sql', `CREATE TABLE ${set.schema}.shelf (id integer)`);
  const ran = await Promise.all(Array.from({ length: 10 }, () => migrate(database, [set])));
  expect(ran.flat()).toHaveLength(1);
});

/** A session that uses the table and does not end its transaction. */
async function aHolder(table: string) {
  const session = await database.session('holder');
  const { rows } = await session.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  await session.query('BEGIN');
  await session.query(`SELECT count(*) FROM ${table}`);
  return { pid: rows[0]?.pid, close: () => session.close() };
}

test('a table that stays locked is an error that names who holds it, and nothing of the file is done', async () => {
  await add('0001_shelf.sql', `CREATE TABLE ${set.schema}.shelf (id integer)`);
  await migrate(database, [set]);
  await add(
    '0002_label.sql',
    `CREATE TABLE ${set.schema}.label (id integer); ALTER TABLE ${set.schema}.shelf ADD COLUMN label text`,
  );
  const holder = await aHolder(`${set.schema}.shelf`);
  try {
    const blocked = migrate(database, [set], { waits: { lockMs: 1_000, triesMax: 2, pauseMs: 1 } });
    const named = `0002_label\\.sql needs a lock .* tried 2 times.* pid ${holder.pid} \\(urr holder, idle in transaction, .*: SELECT count\\(\\*\\) FROM ${set.schema}\\.shelf`;
    await expect(blocked).rejects.toThrow(new RegExp(named));
    expect(await pendingMigrations(database, [set])).toHaveLength(1);
  } finally {
    await holder.close();
  }
  expect(await migrate(database, [set])).toHaveLength(1);
});

test('a table that is locked for a while only is waited for', async () => {
  await add('0001_shelf.sql', `CREATE TABLE ${set.schema}.shelf (id integer)`);
  await migrate(database, [set]);
  await add('0002_label.sql', `ALTER TABLE ${set.schema}.shelf ADD COLUMN label text`);
  const holder = await aHolder(`${set.schema}.shelf`);
  const migrating = migrate(database, [set], { waits: { lockMs: 100, triesMax: 10 } });
  const failed = `SELECT FROM pg_stat_activity WHERE application_name = 'urr migrate' AND query = 'ROLLBACK'`;
  await eventually(async () => (await database.query(failed)).rowCount > 0, {
    withinMs: 60_000,
    what: 'a first try to be given up',
  });
  await holder.close();
  expect(await migrating).toHaveLength(1);
});

test('a process that migrates for ever is named by those that wait for their turn', async () => {
  const other = await database.session('other');
  try {
    await other.query('SELECT pg_advisory_lock(7277001)');
    await expect(migrate(database, [set], { waits: { turnMs: 1_000 } })).rejects.toThrow(
      /another process has been migrating for 1 s.*\(urr other, idle, .*pg_advisory_lock\(7277001\)/,
    );
  } finally {
    await other.close();
  }
});

test('a badly named file is refused', async () => {
  await add('shelf.sql', 'SELECT 1');
  await expect(migrate(database, [set])).rejects.toThrow('named 0001_like_this.sql');
});

test('two files with one number, as two people add them at once, are refused', async () => {
  await add('0001_shelf.sql', 'SELECT 1');
  await add('0001_label.sql', 'SELECT 1');
  await expect(migrate(database, [set])).rejects.toThrow('0001_shelf.sql: another migration has this number');
});

test('the audit log takes entries and refuses to be changed', async () => {
  await migrate(database, [platformMigrations]);
  await database.query(
    `INSERT INTO urr.audit_log (actor_id, actor_role, action, subject) VALUES ('a', 'admin', 'x.y.z', 's')`,
  );
  await expect(database.query('UPDATE urr.audit_log SET actor_id = $1', ['b'])).rejects.toThrow('append-only');
  await expect(database.query('DELETE FROM urr.audit_log')).rejects.toThrow('append-only');
});
