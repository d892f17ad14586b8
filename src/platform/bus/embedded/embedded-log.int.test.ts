import { randomBytes } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { createIds } from '#platform/ids.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { systemRandom } from '#platform/random.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { eventually } from '#test/kit/faults.ts';
import { aGroup, aTopic, recorder } from '../conformance/records.ts';
import { findLanes } from '../outbox.ts';
import { createEmbeddedBus } from './embedded-bus.ts';
import { readLog, relayToLog } from './embedded-log.ts';

const { url } = await aDatabase();
const database = createDatabase({ url, poolMax: 5, statementTimeoutMs: 60_000 });
afterAll(() => database.close());
const ids = createIds({ clock: systemClock, random: systemRandom });
const large = JSON.stringify({ text: randomBytes(150_000).toString('base64') });

async function insert(topic: string, count: number, envelope: string): Promise<void> {
  await database.query(
    `INSERT INTO urr.outbox (topic, partition, key, event_id, type, envelope)
     SELECT $1, 0, 'key', gen_random_uuid(), 'LARGE', $2::json FROM generate_series(1, $3)`,
    [topic, envelope, count],
  );
}

test('a lane with many large events moves a little in each turn, and others go on beside it', async () => {
  const count = 60;
  await insert('large', count, large);
  await insert('small', 1, '{}');
  const turns: { topic: string; rows: number }[] = [];
  const observe = { relayed: (topic: string, rows: number) => void turns.push({ topic, rows }) };
  const bus = createEmbeddedBus({ database, topics: [], clock: systemClock, ids, observe });
  await bus.start();
  await eventually(async () => (await bus.outboxBacklog()).rows === 0, { withinMs: 60_000, what: 'an empty outbox' });
  await bus.stop();
  const ofLarge = turns.filter(({ topic }) => topic === 'large').map(({ rows }) => rows);
  expect(ofLarge.reduce((sum, rows) => sum + rows, 0)).toBe(count);
  // A turn is two megabytes of a lane at most, and the row that fills them.
  expect(Math.max(...ofLarge) * large.length).toBeLessThan(2.5 * 1_024 * 1_024);
  expect(turns.findIndex(({ topic }) => topic === 'small')).toBeLessThan(3);
});

test('a read of the log ends with the message that fills it, and large ones after that are not touched', async () => {
  const count = 100;
  await database.query(
    `INSERT INTO urr.bus_log (topic, partition, log_offset, key, envelope, bytes)
     SELECT topic, 0, n, 'key', $1::text::json, CASE topic WHEN 'noted' THEN octet_length($1::text) END
     FROM unnest(ARRAY['noted', 'of-an-earlier-version']) AS topic, generate_series(0, $2 - 1) AS n`,
    [large, count],
  );
  for (const topic of ['noted', 'of-an-earlier-version']) {
    let pages = 0;
    const counting = {
      async query<Row>(text: string, values?: readonly unknown[]) {
        const explained = await database.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
          `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
          values,
        );
        const plan = explained.rows[0]?.['QUERY PLAN'][0].Plan ?? {};
        pages = (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
        return database.query<Row>(text, values);
      },
    };
    const from = { topic, partition: 0, offset: 0 };
    const read = await readLog({ ...database, ...counting }, from, { rowsMax: 1_000, bytesMax: 1_000_000 });
    expect(read.length).toBeGreaterThan(0);
    expect(read.length).toBeLessThan(7);
    expect(read.map(({ offset }) => offset)).toEqual(read.map((_, n) => n));
    expect(pages).toBeLessThan((count * large.length) / 8_192 / 4);
    expect(await readLog(database, { ...from, offset: 50 }, { rowsMax: 1_000, bytesMax: 1 })).toHaveLength(1);
  }
});

test('messages that went with the retention before a group had read them are told at error', async () => {
  const topic = aTopic(undefined, 1);
  await database.query(
    'CREATE TABLE urr.test_effects (id bigserial, consumer_group text, topic text, event_id uuid, key text, n integer)',
  );
  const told: unknown[] = [];
  const logger = { ...silentLogger, error: (fields: object) => void told.push(fields) };
  const bus = createEmbeddedBus({ database, topics: [topic], clock: systemClock, ids, logger });
  await bus.start();
  const publish = (n: number) =>
    database.transaction((tx) => bus.publish(tx, topic, [{ type: 'COUNTED', key: 'key', data: { n } }]));
  for (const n of [1, 2, 3, 4]) await publish(n);
  await eventually(async () => (await bus.outboxBacklog()).rows === 0, { withinMs: 60_000, what: 'relayed' });
  await database.query('DELETE FROM urr.bus_log WHERE topic = $1 AND log_offset < 3', [topic.name]);
  const [late, fresh] = [aGroup(), aGroup()];
  await database.query(
    'INSERT INTO urr.bus_offsets (consumer_group, topic, partition, next_offset) VALUES ($1, $2, 0, 1)',
    [late, topic.name],
  );
  for (const group of [late, fresh]) await bus.consume(recorder(topic, group));
  const effects = async () =>
    (await database.query('SELECT FROM urr.test_effects WHERE topic = $1', [topic.name])).rowCount;
  await eventually(async () => (await effects()) === 2, { withinMs: 60_000, what: 'an effect for each group' });
  await bus.stop();
  // A fresh group reads from the earliest message that is there, and has lost nothing.
  expect(told).toEqual([{ topic: topic.name, group: late, partition: 0, from: 1, to: 3, lost: 2 }]);
});

test('rows of a held key stay in the outbox; those before the held ones, and other keys, go on', async () => {
  const { rows } = await database.query<{ id: number }>(
    `INSERT INTO urr.outbox (topic, partition, key, event_id, type, envelope)
     SELECT 'held', 0, key, gen_random_uuid(), 'HELD', '{}' FROM unnest(ARRAY['key', 'key', 'key', 'other']) AS key RETURNING id`,
  );
  await findLanes(database);
  const limits = { rowsMax: 100, bytesMax: 1_000_000 };
  const left = async () =>
    (
      await database.query<{ id: number }>(
        `SELECT id FROM urr.outbox WHERE topic = 'held' AND published_at IS NULL ORDER BY id`,
      )
    ).rows;
  // As while the rows behind a released one go back in pieces: the first is back, the others are not.
  await database.query(
    `INSERT INTO urr.bus_held_keys (topic, partition, key, after_id) VALUES ('held', 0, 'key', $1)`,
    [rows[0]?.id],
  );
  await database.query('UPDATE urr.outbox SET parked_at = urr.now() WHERE id = $1', [rows[1]?.id]);
  await relayToLog(database, [0], limits);
  expect(await left()).toEqual([rows[1], rows[2]]);
});

test('a turn looks its rows up and does not go through the whole outbox, however many there are', async () => {
  await database.query(
    `INSERT INTO urr.outbox (topic, partition, key, event_id, type, envelope, bytes)
     SELECT 'lane-' || n % 40, n % 3, 'key', gen_random_uuid(), 'COUNTED', '{}', 2 FROM generate_series(1, 60000) AS n`,
  );
  await findLanes(database);
  await database.query('ANALYZE urr.outbox, urr.bus_lanes');
  const moved: number[] = [];
  await database.transaction(async (tx) => {
    // From the sixth on PostgreSQL may use a plan that it has kept, made without knowing the limits.
    for (let turn = 0; turn < 8; turn++)
      moved.push((await relayToLog(tx, [0, 1, 2], { rowsMax: 50, bytesMax: 1_000_000 })).length);
    const { rows } = await tx.query(
      `SELECT seq_scan FROM pg_stat_xact_user_tables WHERE schemaname = 'urr' AND relname = 'outbox'`,
    );
    expect(rows).toEqual([{ seq_scan: 0 }]);
  });
  expect(Math.min(...moved)).toBeGreaterThanOrEqual(120);
});
