import { afterAll, afterEach, expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { createIds } from '#platform/ids.ts';
import type { Queryable } from '#platform/postgres/database.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { systemRandom } from '#platform/random.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { eventually } from '#test/kit/faults.ts';
import { aTopic } from './conformance/records.ts';
import { createEmbeddedBus } from './embedded/embedded-bus.ts';
import { findLanes, markPublished, type OutboxRow, readLanes } from './outbox.ts';
import { countRefused, holdBehind, letRowsBehindGo, listRefused, markRefused, releaseRefused } from './refused.ts';

const { url } = await aDatabase();
const database = createDatabase({ url, poolMax: 5, statementTimeoutMs: 60_000, connectTimeoutMs: 60_000 });
const lane = { topic: 'orders', partition: 0 };
const other = { topic: 'other', partition: 0 };
const pieceRows = 1_000;
const manyRows = 5_000;
const settleMs = 60_000;

afterEach(() => database.query('TRUNCATE urr.outbox, urr.bus_lanes, urr.bus_held_keys, urr.bus_log'));
afterAll(() => database.close());

async function insert(count: number, key = 'hot', topic = lane.topic): Promise<number[]> {
  const { rows } = await database.query<{ id: number }>(
    `INSERT INTO urr.outbox (topic, partition, key, event_id, type, envelope)
     SELECT $1, 0, $2, gen_random_uuid(), 'ORDERED', '{}' FROM generate_series(1, $3) RETURNING id`,
    [topic, key, count],
  );
  await findLanes(database);
  return rows.map(({ id }) => id);
}

const read = () => readLanes(database, [lane, other], { rowsMax: pieceRows, bytesMax: 1_000_000 });
const free = (rows: readonly OutboxRow[]) => rows.filter(({ held }) => !held);
const rowOf = async (id: number) => (await read()).find((row) => row.id === id) as OutboxRow;

/** As the relay does it: reads, sets aside what must wait, sends the rest. */
async function turn(): Promise<OutboxRow[]> {
  const rows = await read();
  await holdBehind(
    database,
    rows.filter(({ held }) => held),
  );
  const sent = free(rows);
  await markPublished(
    database,
    sent.map(({ id }) => id),
  );
  return sent;
}

/** The first row of a key is refused, and so many wait behind it. */
async function refused(behind: number): Promise<{ first: number; ids: number[] }> {
  const ids = await insert(behind + 1);
  const [first = 0] = ids;
  await markRefused(database, await rowOf(first), 'MESSAGE_TOO_LARGE');
  while ((await turn()).length > 0 || (await countRefused(database)) <= behind);
  return { first, ids };
}

/** Runs statements as they are, and tells the largest number of rows of the outbox that one of them changed. */
function counting(): { on: Pick<Queryable, 'query'>; changedMax: () => number } {
  let changedMax = 0;
  const on = {
    query: <Row>(text: string, values?: readonly unknown[]) =>
      database.transaction(async (tx) => {
        const changed = async () =>
          (
            await tx.query<{ n: number }>(
              `SELECT (pg_stat_get_xact_tuples_updated(oid) + pg_stat_get_xact_tuples_deleted(oid))::integer AS n
               FROM pg_class WHERE oid = 'urr.outbox'::regclass`,
            )
          ).rows[0]?.n ?? 0;
        // What earlier transactions of this connection changed may still be in the number.
        const before = await changed();
        const result = await tx.query<Row>(text, values);
        changedMax = Math.max(changedMax, (await changed()) - before);
        return result;
      }),
  };
  return { on, changedMax: () => changedMax };
}

test.each([{ drop: false }, { drop: true }])(
  'many rows behind a refused one go on in pieces, drop: $drop',
  async ({ drop }) => {
    const { first, ids } = await refused(manyRows);
    expect(await listRefused(database, { limit: 10 })).toMatchObject([{ id: first, behind: manyRows }]);
    const { on, changedMax } = counting();
    expect(await releaseRefused(on, { id: first, drop })).toMatchObject({ key: 'hot', behind: manyRows });
    const sent: OutboxRow[] = [];
    const [between] = await insert(1, 'hot', other.topic);
    let later = 0;
    for (let more = true, round = 0; more; round++) {
      sent.push(...(await turn()));
      // It comes while others of its key are not back yet.
      if (round === 0) [later = 0] = await insert(1);
      more = await letRowsBehindGo(on, [0]);
    }
    for (let part = await turn(); part.length > 0; part = await turn()) sent.push(...part);

    expect(changedMax()).toBeLessThanOrEqual(pieceRows + 1);
    const place = sent.findIndex(({ id }) => id === between);
    expect(place).toBeLessThan(2 * pieceRows);
    const wanted = drop ? ids.slice(1) : ids;
    expect(sent.filter(({ topic }) => topic === lane.topic).map(({ id }) => id)).toEqual([...wanted, later]);
    expect(await countRefused(database)).toBe(0);
    expect((await database.query('SELECT FROM urr.bus_held_keys')).rowCount).toBe(0);
  },
);

test('a row that is refused once more while those behind it go on stops them', async () => {
  const { first, ids } = await refused(3 * pieceRows);
  await releaseRefused(database, { id: first, drop: false });
  expect(await rowOf(first)).toMatchObject({ held: false });
  await markRefused(database, await rowOf(first), 'MESSAGE_TOO_LARGE');
  expect(await letRowsBehindGo(database, [0])).toBe(false);
  expect(await turn()).toEqual([]);
  expect(await turn()).toEqual([]);
  expect(await listRefused(database, { limit: 10 })).toMatchObject([{ id: first, behind: 3 * pieceRows }]);
  await releaseRefused(database, { id: first, drop: true });
  while (await letRowsBehindGo(database, [0]));
  const sent: number[] = [];
  for (let part = await turn(); part.length > 0; part = await turn()) sent.push(...part.map(({ id }) => id));
  expect(sent).toEqual(ids.slice(1));
});

test('of two refused rows of a key the later one waits for the earlier, whichever is released first', async () => {
  const ids = await insert(4);
  const [one, two, three, four] = (await read()) as [OutboxRow, OutboxRow, OutboxRow, OutboxRow];
  await markRefused(database, three, 'MESSAGE_TOO_LARGE');
  await markRefused(database, one, 'MESSAGE_TOO_LARGE');
  await holdBehind(database, [two, four]);
  expect(await turn()).toEqual([]);
  await releaseRefused(database, { id: one.id, drop: false });
  expect((await turn()).map(({ id }) => id)).toEqual(ids.slice(0, 2));
  await markRefused(database, four, 'MESSAGE_TOO_LARGE');
  await releaseRefused(database, { id: four.id, drop: false });
  expect(await turn()).toEqual([]);
  await releaseRefused(database, { id: three.id, drop: false });
  expect((await turn()).map(({ id }) => id)).toEqual(ids.slice(2));
  expect(await countRefused(database)).toBe(0);
});

test('a row read before its key was released does not wait behind one that is gone', async () => {
  const { first } = await refused(1);
  const [late = 0] = await insert(1);
  const row = await rowOf(late);
  expect(row.held).toBe(true);
  await releaseRefused(database, { id: first, drop: true });
  await holdBehind(database, [row]);
  expect(await countRefused(database)).toBe(0);
});

test('a row that is set aside behind another waits for a release that is under way', async () => {
  const { first } = await refused(1);
  const [late = 0] = await insert(1);
  const row = await rowOf(late);
  const [releasing, holding] = [await database.session('release'), await database.session('hold')];
  try {
    await releasing.query('BEGIN');
    await releaseRefused(releasing, { id: first, drop: true });
    const { rows } = await holding.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const held = holdBehind(holding, [row]);
    await eventually(
      async () =>
        (
          await database.query(`SELECT FROM pg_stat_activity WHERE pid = $1 AND wait_event_type = 'Lock'`, [
            rows[0]?.pid,
          ])
        ).rowCount === 1,
      { withinMs: settleMs, what: 'the second to wait for the first' },
    );
    await releasing.query('COMMIT');
    await held;
  } finally {
    await Promise.all([releasing.close(), holding.close()]);
  }
  expect(await countRefused(database)).toBe(0);
});

test('a running relay lets the rows behind go', async () => {
  const { first } = await refused(2 * pieceRows + 1);
  const bus = createEmbeddedBus({
    database,
    topics: [{ ...aTopic(lane.topic), partitions: 1 }],
    clock: systemClock,
    ids: createIds({ clock: systemClock, random: systemRandom }),
  });
  await releaseRefused(database, { id: first, drop: false });
  await bus.start();
  try {
    const unsent = 'SELECT FROM urr.outbox WHERE published_at IS NULL';
    await eventually(async () => (await database.query(unsent)).rowCount === 0, {
      withinMs: settleMs,
      what: 'all rows to be relayed',
    });
  } finally {
    await bus.stop();
  }
});
