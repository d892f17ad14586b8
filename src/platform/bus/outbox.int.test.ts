import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { createIds } from '#platform/ids.ts';
import type { Queryable } from '#platform/postgres/database.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { systemRandom } from '#platform/random.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { eventually } from '#test/kit/faults.ts';
import { connectTimeoutMs } from './conformance/harness.ts';
import { aTopic } from './conformance/records.ts';
import { createEmbeddedBus } from './embedded/embedded-bus.ts';
import { createFloors } from './floors.ts';
import { findLanes, markPublished, pruneOutbox, readLanes } from './outbox.ts';

const { url } = await aDatabase();
const database = createDatabase({ url, poolMax: 5, connectTimeoutMs, statementTimeoutMs: 60_000 });
const lane = { topic: 'large', partition: 0 };
const settleMs = 60_000;

afterEach(() => database.query('TRUNCATE urr.outbox, urr.bus_lanes'));
afterAll(() => database.close());

/** Runs statements as they are, and tells how many pages of the database they touched. */
function counting(): { on: Pick<Queryable, 'query'>; pages: () => number } {
  let pages = 0;
  const on = {
    async query<Row>(text: string, values?: readonly unknown[]) {
      const { rows } = await database.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
        `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
        values,
      );
      const plan = rows[0]?.['QUERY PLAN'][0].Plan ?? {};
      pages += (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
      return { rows: [] as Row[], rowCount: 0 };
    },
  };
  return { on, pages: () => pages };
}

async function insert(count: number, envelope: string, topic = lane.topic): Promise<void> {
  await database.query(
    `INSERT INTO urr.outbox (topic, partition, key, event_id, type, envelope, bytes)
     SELECT $1, 0, 'key', gen_random_uuid(), 'LARGE', $2::text::json, octet_length($2::text) FROM generate_series(1, $3)`,
    [topic, envelope, count],
  );
}

test('large rows that a turn does not take are not read', async () => {
  const rows = 200;
  await insert(rows, JSON.stringify({ text: randomBytes(150_000).toString('base64') }));
  await findLanes(database);
  const pagesPerRow = 200_000 / 8_192;
  const read = counting();
  await readLanes(read.on, [lane], { rowsMax: 1_000, bytesMax: 1_000_000 });
  // Five or six rows are taken; the rest would be twenty times as much.
  expect(read.pages()).toBeLessThan((rows * pagesPerRow) / 4);
  expect(await readLanes(database, [lane], { rowsMax: 1_000, bytesMax: 1_000_000 })).toHaveLength(5);

  const marked = counting();
  const { rows: all } = await database.query<{ id: number }>('SELECT id FROM urr.outbox');
  await markPublished(
    marked.on,
    all.map(({ id }) => id),
  );
  expect(marked.pages()).toBeLessThan((rows * pagesPerRow) / 2);
});

test('rows that wait do not keep published ones behind them from being pruned', async () => {
  await insert(6_000, '{}', 'stuck');
  await insert(10, '{}', 'published');
  await insert(1, '{}', 'young');
  await database.query(
    `UPDATE urr.outbox SET created_at = created_at - interval '3 hours' WHERE topic IN ('stuck', 'published')`,
  );
  await database.query(`UPDATE urr.outbox SET published_at = urr.now() - interval '2 hours' WHERE topic = 'published'`);
  expect((await pruneOutbox(database)).pruned).toBe(10);
  const { rows } = await database.query<{ count: number }>('SELECT count(*) FROM urr.outbox');
  expect(rows[0]?.count).toBe(6_001);
});

test('a transaction that is open for long does not make each look pass over all that was published since', async () => {
  const topic = { ...aTopic(lane.topic), partitions: 1 };
  const bus = createEmbeddedBus({
    database,
    topics: [topic],
    clock: systemClock,
    ids: createIds({ clock: systemClock, random: systemRandom }),
  });
  const reader = await database.session('report');
  try {
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await reader.query('SELECT count(*) FROM urr.outbox');
    await insert(20_000, '{}');
    await bus.start();
    await eventually(async () => (await bus.outboxBacklog()).rows === 0, { withinMs: settleMs, what: 'all relayed' });
    await eventually(
      async () => {
        const look = counting();
        await readLanes(look.on, [lane], { rowsMax: 1_000, bytesMax: 1_000_000 });
        return look.pages() < 50;
      },
      { withinMs: settleMs, what: 'a look that reads few pages' },
    );
    // And nothing is missed by it.
    await insert(1, '{}');
    await eventually(async () => (await bus.outboxBacklog()).rows === 0, { withinMs: settleMs, what: 'one more' });
  } finally {
    await reader.close();
    await bus.stop();
  }
});

test('a floor is not raised over the id of a transaction that is still open', async () => {
  const floorOf = async () =>
    (await database.query<{ floor: number }>('SELECT floor FROM urr.bus_lanes')).rows[0]?.floor ?? -1;
  const floors = createFloors({ on: database });
  const raised = async () => {
    await floors.raise([lane]);
    return floorOf();
  };
  const write = `INSERT INTO urr.outbox (topic, partition, key, event_id, type, envelope)
    VALUES ('large', 0, 'key', gen_random_uuid(), 'LATE', '{}') RETURNING id`;
  await insert(1, '{}');
  await findLanes(database);
  await database.query('UPDATE urr.outbox SET published_at = urr.now()');
  const writer = await database.session('writer');
  try {
    await writer.query('BEGIN');
    const late = (await writer.query<{ id: number }>(write)).rows[0]?.id ?? 0;
    await insert(5, '{}', 'other');
    const ends = performance.now() + 1_500;
    while (performance.now() < ends) {
      expect(await raised()).toBeLessThan(late);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await writer.query('COMMIT');
    await eventually(async () => (await raised()) === late - 1, {
      withinMs: settleMs,
      what: 'the floor below the row',
    });
    expect(await readLanes(database, [lane], { rowsMax: 10, bytesMax: 1_000 })).toMatchObject([{ id: late }]);
  } finally {
    await writer.close();
  }
});
