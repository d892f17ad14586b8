import { afterAll, expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { createIds } from '#platform/ids.ts';
import type { Database } from '#platform/postgres/database.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { systemRandom } from '#platform/random.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { eventually } from '#test/kit/faults.ts';
import { connectTimeoutMs } from './conformance/harness.ts';
import { aGroup, aTopic, range, recorder, type TestTopic } from './conformance/records.ts';
import { createDeadLetter } from './dead-letter.ts';
import { openLetters } from './letter-source.ts';
import { createLettersAdmin } from './letters-admin.ts';
import { createMessages, type Message } from './message.ts';
import type { Claim } from './shares.ts';

const { url } = await aDatabase();
const database = createDatabase({ url, poolMax: 6, connectTimeoutMs });
afterAll(() => database.close());
await database.query(
  'CREATE TABLE urr.test_effects (id bigserial, consumer_group text, topic text, event_id uuid, key text, n integer)',
);
const ids = createIds({ clock: systemClock, random: systemRandom });
const admin = createLettersAdmin(database);
const count = 200;

type Declared = NonNullable<Parameters<typeof recorder>[2]>;

/** The letters of a consumer; anyone who gets the claim tries them, until stopped. */
function open(topic: TestTopic, group: string, declared: Declared, on: Database = database) {
  const messages = createMessages({ topics: [topic], clock: systemClock, ids });
  let claimed: Claim | undefined;
  const { box, stop } = openLetters({
    consumer: recorder(topic, group, declared),
    control: {
      share(claim) {
        claimed = claim;
        return { held: new Set([0]), leave: () => claim.lost(0) };
      },
    },
    copyAs: 'json',
    wakeRelays: () => {},
    database: on,
    messages,
    clock: systemClock,
    logger: silentLogger,
    observe: {},
    failpoint: async () => {},
  });
  if (box === null) throw new Error('a recorder has a dead-letter topic');
  return { box, stop, begin: () => claimed?.gained(0) };
}

function messageOf(topic: TestTopic, key: string, n: number): Message {
  const messages = createMessages({ topics: [topic], clock: systemClock, ids });
  const [outgoing] = messages.encode(topic, [{ type: 'COUNTED', key, data: { n } }]);
  return { topic: topic.name, partition: 0, offset: n, key, headers: {}, value: outgoing?.value ?? '' };
}

function letterOf(message: Message, group: string) {
  return createDeadLetter({ message, group, error: new Error('once'), attempts: 1, clock: systemClock });
}

async function effects(group: string): Promise<number[]> {
  const { rows } = await database.query<{ n: number }>(
    'SELECT n FROM urr.test_effects WHERE consumer_group = $1 ORDER BY id',
    [group],
  );
  return rows.map(({ n }) => n);
}

const untilNoLetters = (group: string) =>
  eventually(async () => (await admin.letters({ group, limit: 1 })).length === 0, {
    withinMs: 90_000,
    what: 'no letters',
  });

for (const onPoison of ['pass', 'park-key'] as const) {
  test(`two processes that both believe to be the one that tries letters have one effect of each (${onPoison})`, async () => {
    const topic = aTopic();
    const group = aGroup();
    const sources = [1, 2].map(() => open(topic, group, { onPoison, batchSizeMax: 7, retryAfterMin: [0] }));
    const letters = range(1, count).map((n) => letterOf(messageOf(topic, `key-${n % 5}`, n), group));
    await database.transaction(async (tx) => sources[0]?.box.write(tx, letters));
    for (const source of sources) source.begin();
    await untilNoLetters(group);
    for (const source of sources) await source.stop();
    const done = await effects(group);
    expect(done.toSorted((one, other) => one - other)).toEqual(range(1, count));
    if (onPoison === 'pass') return;
    for (const key of range(0, 4)) {
      const ofKey = done.filter((n) => n % 5 === key);
      expect(ofKey).toEqual(ofKey.toSorted((one, other) => one - other));
    }
  });
}

test('a letter that two processes fail is counted once', async () => {
  const topic = aTopic();
  const group = aGroup();
  const before = () => {
    throw new Error('still broken');
  };
  const sources = [1, 2].map(() => open(topic, group, { before, batchSizeMax: 1, retryAfterMin: [0, 60] }));
  const letters = range(1, 40).map((n) => letterOf(messageOf(topic, `key-${n}`, n), group));
  await database.transaction(async (tx) => sources[0]?.box.write(tx, letters));
  for (const source of sources) source.begin();
  const left = async () => (await admin.letters({ group, limit: 100 })).filter(({ dueInMs }) => (dueInMs ?? 0) <= 0);
  await eventually(async () => (await left()).length === 0, { withinMs: 90_000, what: 'every letter tried' });
  for (const source of sources) await source.stop();
  const { rows } = await database.query(
    'SELECT DISTINCT round, attempts FROM urr.bus_letters WHERE consumer_group = $1',
    [group],
  );
  expect(rows).toEqual([{ round: 1, attempts: 2 }]);
  const copies = await database.query('SELECT FROM urr.outbox WHERE topic = $1', [`${topic.name}-dead`]);
  expect(copies.rowCount).toBe(40);
});

test('a letter that another process has in hand is left alone', async () => {
  const topic = aTopic();
  const group = aGroup();
  let [looks, calls] = [0, 0];
  const counting: Database = {
    ...database,
    query(text, values) {
      if (text.includes('bus_letters_to_try')) looks += 1;
      return database.query(text, values);
    },
  };
  const before = () => void calls++;
  const source = open(topic, group, { before, retryAfterMin: [0] }, counting);
  await database.transaction((tx) => source.box.write(tx, [letterOf(messageOf(topic, 'key', 1), group)]));
  await database.transaction(async (tx) => {
    await tx.query('SELECT FROM urr.bus_letters WHERE consumer_group = $1 FOR UPDATE', [group]);
    source.begin();
    await eventually(async () => looks >= 3, { withinMs: 60_000, what: 'three looks' });
    expect(calls).toBe(0);
  });
  await untilNoLetters(group);
  await source.stop();
  expect(await effects(group)).toEqual([1]);
});

test('letters of one key are tried in order although they were written under pass', async () => {
  const topic = aTopic();
  const group = aGroup();
  const source = open(topic, group, { onPoison: 'park-key', retryAfterMin: [0] });
  const letters = range(1, 4).map((n) => letterOf(messageOf(topic, 'key', n), group));
  await database.transaction((tx) => source.box.write(tx, letters));
  await database.query(
    `UPDATE urr.bus_letters SET due_at = urr.now() + interval '1 hour' WHERE consumer_group = $1 AND log_offset = 2`,
    [group],
  );
  source.begin();
  await eventually(
    async () => (await admin.letters({ group, limit: 9 })).filter((one) => one.state === 'behind').length === 2,
    {
      withinMs: 60_000,
      what: 'two letters behind the one that is not due',
    },
  );
  expect(await effects(group)).toEqual([1]);
  await admin.replayDeadLetter({ topic: `${topic.name}-dead`, limit: 10 });
  await untilNoLetters(group);
  await source.stop();
  expect(await effects(group)).toEqual([1, 2, 3, 4]);
});

test('a key is parked for as long as letters wait behind, though none of them has failed', async () => {
  const topic = aTopic();
  const group = aGroup();
  const { box, stop } = open(topic, group, { onPoison: 'park-key' });
  const [first, second, third, other] = [1, 2, 3, 4].map((n) => messageOf(topic, n < 4 ? 'key' : 'other', n)) as [
    Message,
    Message,
    Message,
    Message,
  ];
  await database.transaction(async (tx) => {
    await box.write(tx, [letterOf(first, group)]);
    await box.writeBehind(tx, [second]);
  });
  const [failed] = await admin.letters({ group, limit: 1 });
  await admin.dropLetter(failed?.id ?? 0);
  expect(await database.transaction((tx) => box.parkedAmong(tx, [third, other]))).toEqual(new Set([third]));
  await stop();
});

test('with thousands of parked keys a look reads little, due letters are tried and freed keys are found', async () => {
  const topic = aTopic();
  const group = aGroup();
  const keys = 5_000;
  const source = open(topic, group, { onPoison: 'park-key', retryAfterMin: [] });
  // Two letters of each key: one waits for a person, the other behind it.
  const { value } = messageOf(topic, 'key', 0);
  await database.query(
    `INSERT INTO urr.bus_letters (consumer_group, topic, dead_letter, on_poison, partition, log_offset, key, identity, event_id,
       value, headers, behind, attempts, reason)
     SELECT $1, $2, $2 || '-dead', 'park-key', 0, n * 2 + behind::integer, 'key-' || lpad(n::text, 6, '0'), gen_random_uuid(),
       event.id, convert_to(jsonb_set($4::jsonb || jsonb_build_object('id', event.id, 'key', 'key-' || lpad(n::text, 6, '0')), '{data,n}', to_jsonb(n))::text, 'UTF8'),
       '{}', behind, 1, 'broken'
     FROM generate_series(1, $3::integer) AS n, unnest(ARRAY[false, true]) AS behind,
       LATERAL (SELECT gen_random_uuid() AS id WHERE n > 0 AND behind IS NOT NULL) AS event
     ORDER BY n, behind`,
    [group, topic.name, keys, value],
  );
  await database.query('ANALYZE urr.bus_letters');
  const pages = async (text: string, values: readonly unknown[]) => {
    const { rows } = await database.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
      values,
    );
    const plan = rows[0]?.['QUERY PLAN'][0].Plan ?? {};
    return (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
  };
  const look = [group, topic.name, ['key-000001', 'key-000002'], 500, 1_000_000];
  expect(await pages('SELECT * FROM urr.bus_letters_to_try($1, $2, $3::text[], $4, $5)', look)).toBeLessThan(500);
  const walk = (from: string, max: number) =>
    pages('SELECT * FROM urr.bus_freed_keys($1, $2, $3, $4)', [group, topic.name, from, max]);
  expect(await walk('key-004000', 100)).toBeLessThan(3_000);

  const admitted = await database.query<{ id: number; key: string }>(
    `SELECT id, key FROM urr.bus_letters WHERE consumer_group = $1 AND NOT behind
       AND key IN ('key-000007', 'key-004990', 'key-005000') ORDER BY id`,
    [group],
  );
  const [due, ...dropped] = admitted.rows.map(({ id }) => id);
  await database.query('UPDATE urr.bus_letters SET due_at = urr.now() WHERE id = $1', [due]);
  for (const id of dropped) await admin.dropLetter(id);
  source.begin();
  await eventually(async () => (await effects(group)).length === 4, { withinMs: 60_000, what: 'four effects' });
  await source.stop();
  expect((await effects(group)).toSorted((one, other) => one - other)).toEqual([7, 7, 4_990, 5_000]);
});
