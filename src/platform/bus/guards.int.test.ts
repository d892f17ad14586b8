import { afterAll, expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { createIds } from '#platform/ids.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { systemRandom } from '#platform/random.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { eventually } from '#test/kit/faults.ts';
import { connectTimeoutMs } from './conformance/harness.ts';
import { aGroup, aTopic, type Counted, recorder } from './conformance/records.ts';
import { createEmbeddedBus } from './embedded/embedded-bus.ts';
import { partitionOf } from './partitioner.ts';

const { url } = await aDatabase();
const database = createDatabase({ url, poolMax: 8, connectTimeoutMs });
afterAll(() => database.close());
await database.query(
  'CREATE TABLE urr.test_effects (id bigserial, consumer_group text, topic text, event_id uuid, key text, n integer)',
);
const ids = createIds({ clock: systemClock, random: systemRandom });
const withinMs = 60_000;

async function world() {
  const topic = aTopic();
  const group = aGroup();
  const bus = createEmbeddedBus({ database, topics: [topic], clock: systemClock, ids });
  await bus.start();
  return {
    topic,
    group,
    bus,
    publish: (n: number) =>
      database.transaction((tx) => bus.publish(tx, topic, [{ type: 'COUNTED', key: 'key', data: { n } }])),
    publishRaw: (value: string) =>
      database.query(
        `INSERT INTO urr.outbox (topic, partition, key, event_id, type, envelope)
         VALUES ($1, $2, 'key', gen_random_uuid(), 'raw', $3)`,
        [topic.name, partitionOf('key', topic.partitions), value],
      ),
    async effects() {
      const { rows } = await database.query<{ n: number }>(
        'SELECT n FROM urr.test_effects WHERE consumer_group = $1 ORDER BY id',
        [group],
      );
      return rows.map(({ n }) => n);
    },
    relayed: () =>
      eventually(async () => (await bus.outboxBacklog()).rows === 0, { withinMs, what: 'an empty outbox' }),
    letters: (count: number) =>
      eventually(
        async () => {
          const found = await bus.letters({ group, limit: 9 });
          return found.length === count && found;
        },
        { withinMs, what: `${count} letters` },
      ),
  };
}

test('park-key: what comes after an unreadable message in one batch waits behind it', async () => {
  const { topic, group, bus, publish, publishRaw, effects, relayed, letters } = await world();
  await publish(1);
  await publishRaw('"no envelope"');
  await publish(3);
  await relayed();
  await bus.consume(recorder(topic, group, { onPoison: 'park-key', retryAfterMin: [] }));
  const found = await letters(2);
  await bus.stop();
  expect(found.map(({ state }) => state)).toEqual(['waiting-for-a-person', 'behind']);
  expect(await effects()).toEqual([1]);
});

test('two messages with one id and different content are two letters', async () => {
  const { topic, group, bus, publish, publishRaw, effects, letters } = await world();
  const event = { id: '01890000-0000-7000-8000-0000000000cc', version: 1, occurredAt: '2026-01-01T00:00:00Z' };
  for (const n of [1, 2]) await publishRaw(JSON.stringify({ ...event, type: 'UNHEARD_OF', key: 'key', data: { n } }));
  await publish(3);
  await bus.consume(recorder(topic, group, { retryAfterMin: [] }));
  const found = await letters(2);
  await eventually(async () => (await effects()).length === 1, { withinMs, what: 'the effect after them' });
  await bus.stop();
  expect(found.map(({ eventId }) => eventId)).toEqual([event.id, event.id]);
});

test('a message that is a letter and is delivered again is one letter, and the partition goes on', async () => {
  const { topic, group, bus, publish, effects, letters } = await world();
  const before = ({ data }: Counted) => {
    if (data.n === 1) throw new Error('never');
  };
  await bus.consume(recorder(topic, group, { before, retry: { times: 0, backoffMs: 1 }, retryAfterMin: [] }));
  await publish(1);
  await letters(1);
  await database.query(
    `WITH again AS (SELECT key, envelope, partition FROM urr.bus_log WHERE topic = $1)
     INSERT INTO urr.outbox (topic, partition, key, event_id, type, envelope)
     SELECT $1, partition, key, gen_random_uuid(), 'again', envelope FROM again`,
    [topic.name],
  );
  await publish(2);
  await eventually(async () => (await effects()).includes(2), { withinMs, what: 'the next message' });
  await bus.stop();
  expect(await effects()).toEqual([2]);
  await letters(1);
});
