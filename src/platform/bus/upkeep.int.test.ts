import { afterAll, expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { createIds } from '#platform/ids.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { systemRandom } from '#platform/random.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { eventually } from '#test/kit/faults.ts';
import { connectTimeoutMs, settleMs } from './conformance/harness.ts';
import { aGroup, aTopic, range, recorder } from './conformance/records.ts';
import { createEmbeddedBus } from './embedded/embedded-bus.ts';
import { pruneLog } from './embedded/embedded-log.ts';
import { pruneInbox } from './inbox.ts';
import { outboxBacklog, pruneOutbox } from './outbox.ts';
import type { PartitionLag } from './port.ts';
import { createUpkeep } from './upkeep.ts';

const { url } = await aDatabase();
const database = createDatabase({ url, poolMax: 5, connectTimeoutMs });
afterAll(() => database.close());
await database.query(
  'CREATE TABLE urr.test_effects (id bigserial, consumer_group text, topic text, event_id uuid, key text, n integer)',
);
const ids = createIds({ clock: systemClock, random: systemRandom });
const count = async (table: string, topic: string) =>
  (await database.query<{ count: number }>(`SELECT count(*) FROM urr.${table} WHERE topic = $1`, [topic])).rows[0]
    ?.count;

/** A topic with ten events that a group has had its effect of. */
async function consumedTopic(retention: 'forever' | { hours: number }) {
  const topic = { ...aTopic(), retention };
  const group = aGroup();
  const bus = createEmbeddedBus({ database, topics: [topic], clock: systemClock, ids });
  await bus.start();
  await bus.consume(recorder(topic, group));
  const events = range(1, 10).map((n) => ({ type: 'COUNTED' as const, key: `key-${n}`, data: { n } }));
  await database.transaction((tx) => bus.publish(tx, topic, events));
  await eventually(async () => (await count('inbox', topic.name)) === 10, { withinMs: settleMs, what: 'ten effects' });
  await eventually(async () => (await bus.outboxBacklog()).rows === 0, { withinMs: settleMs, what: 'an empty outbox' });
  await bus.stop();
  return { topic, group };
}

test('published rows leave the outbox after an hour, unpublished ones never', async () => {
  const { topic } = await consumedTopic('forever');
  expect((await pruneOutbox(database)).pruned).toBe(0);
  await database.query(`UPDATE urr.outbox SET published_at = published_at - interval '2 hours' WHERE topic = $1`, [
    topic.name,
  ]);
  await database.query(
    `UPDATE urr.outbox SET published_at = NULL, created_at = created_at - interval '3 days'
     WHERE id = (SELECT min(id) FROM urr.outbox WHERE topic = $1)`,
    [topic.name],
  );
  expect((await pruneOutbox(database)).pruned).toBe(9);
  const backlog = await outboxBacklog(database);
  expect(backlog.rows).toBe(1);
  expect(backlog.oldestMs).toBeGreaterThan(2 * 24 * 3_600_000);
  await database.query('DELETE FROM urr.outbox');
});

test('the log keeps what is within its retention, and offsets go on where they were', async () => {
  const { topic } = await consumedTopic({ hours: 2 });
  await database.query(
    `UPDATE urr.bus_log SET appended_at = appended_at - interval '3 hours' WHERE topic = $1 AND log_offset < 2`,
    [topic.name],
  );
  const old = (await database.query('SELECT 1 FROM urr.bus_log WHERE topic = $1 AND log_offset < 2', [topic.name]))
    .rowCount;
  expect(await pruneLog(database, topic)).toBe(old);
  expect(await count('bus_log', topic.name)).toBe(10 - old);
  const heads = await database.query<{ sum: number }>(
    `SELECT sum(next_offset)::integer AS sum FROM urr.bus_heads WHERE topic = $1`,
    [topic.name],
  );
  expect(heads.rows[0]?.sum).toBe(10);
});

test('copies of letters leave the log after 30 days, and partitions that are declared no more are pruned too', async () => {
  const topic = { ...aTopic(undefined, 1), retention: { hours: 2 } };
  const names = [topic.name, `${topic.name}-dead`];
  await database.query(
    `WITH log AS (
       INSERT INTO urr.bus_log (topic, partition, log_offset, key, envelope, appended_at)
       SELECT topic, 5, n, 'key', '{}', urr.now() - age * interval '1 hour'
       FROM unnest($1::text[]) AS topic, unnest(ARRAY[31 * 24, 3, 1]) WITH ORDINALITY AS one (age, n) RETURNING topic)
     INSERT INTO urr.bus_heads (topic, partition, next_offset) SELECT topic, 5, 4 FROM unnest($1::text[]) AS topic`,
    [names],
  );
  const upkeep = createUpkeep({
    database,
    topics: [topic],
    logger: silentLogger,
    lag: async () => [],
    letterCounts: async () => [],
    consumed: () => [],
    deadLetters: () => names,
    pruneLog,
    pruneEveryMs: 10,
  });
  upkeep.start();
  const left = async () => [await count('bus_log', names[0] ?? ''), await count('bus_log', names[1] ?? '')];
  await eventually(async () => (await left())[1] === 2, { withinMs: 30_000, what: 'pruned copies' });
  await upkeep.stop();
  expect(await left()).toEqual([1, 2]);
});

test('a topic that is kept for ever is never pruned, and neither is its inbox', async () => {
  const { topic, group } = await consumedTopic('forever');
  await database.query(`UPDATE urr.bus_log SET appended_at = appended_at - interval '10 years' WHERE topic = $1`, [
    topic.name,
  ]);
  await database.query(`UPDATE urr.inbox SET processed_at = processed_at - interval '10 years' WHERE topic = $1`, [
    topic.name,
  ]);
  expect(await pruneLog(database, topic)).toBe(0);
  expect(await pruneInbox(database, group, topic)).toBe(0);
});

test('the inbox forgets an event a week after its message is gone', async () => {
  const { topic, group } = await consumedTopic({ hours: 24 });
  const age = (days: number) =>
    database.query(`UPDATE urr.inbox SET processed_at = urr.now() - $2 * interval '1 day' WHERE topic = $1`, [
      topic.name,
      days,
    ]);
  await age(7.5);
  expect(await pruneInbox(database, group, topic)).toBe(0);
  await age(8.5);
  expect(await pruneInbox(database, group, topic)).toBe(10);
});

test('a running bus tells what waits in the outbox', async () => {
  const topic = aTopic();
  const told: number[] = [];
  const bus = createEmbeddedBus({
    database,
    topics: [topic],
    clock: systemClock,
    ids,
    observe: { backlog: ({ rows }) => told.push(rows) },
  });
  await bus.start();
  await eventually(async () => told.length > 0, { withinMs: settleMs, what: 'a backlog' });
  await bus.stop();
  expect(told[0]).toBe((await outboxBacklog(database)).rows);
});

test('a process tells the lag of a declared group that nobody consumes, and of no others', async () => {
  const { topic, group } = await consumedTopic('forever');
  const told: PartitionLag[][] = [];
  const bus = createEmbeddedBus({
    database,
    topics: [topic],
    groups: [{ topic: topic.name, group }],
    clock: systemClock,
    ids,
    observe: { lag: (lags) => told.push([...lags]) },
  });
  const events = range(1, 5).map((n) => ({ type: 'COUNTED' as const, key: 'key', data: { n } }));
  await database.transaction((tx) => bus.publish(tx, topic, events));
  await bus.start();
  try {
    await eventually(() => (told.at(-1) ?? []).reduce((sum, { lag }) => sum + lag, 0) === 5, {
      withinMs: 20_000,
      what: 'the lag of five',
    });
    // Other tests of this file have left groups in the same database.
    expect(new Set(told.flat().map((lag) => lag.group))).toEqual(new Set([group]));
  } finally {
    await bus.stop();
  }
});
