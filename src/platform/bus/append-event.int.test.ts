import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { createIds, isUuid } from '#platform/ids.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { systemRandom } from '#platform/random.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { eventually } from '#test/kit/faults.ts';
import { testSeed } from '#test/kit/seed.ts';
import { connectTimeoutMs, settleMs } from './conformance/harness.ts';
import { aGroup, aTopic, type Counted } from './conformance/records.ts';
import { createEmbeddedBus } from './embedded/embedded-bus.ts';
import { murmur2, partitionOf } from './partitioner.ts';
import { defineConsumer } from './port.ts';

const { url } = await aDatabase();
const database = createDatabase({ url, poolMax: 5, connectTimeoutMs });

afterAll(() => database.close());

test('SQL finds the same partition for a key as the program', async () => {
  // PostgreSQL has no text with a zero character, and no half of a surrogate pair.
  const texts = fc
    .string({ unit: 'grapheme', maxLength: 60 })
    .filter((text) => !text.includes('\0') && text.isWellFormed());
  const keys = [...fc.sample(texts, { numRuns: 2_000, seed: testSeed() }), '', 'abc', '좌석-🎫', crypto.randomUUID()];
  const { rows } = await database.query<{ hash: number; partition: number }>(
    `SELECT urr.murmur2(convert_to(key, 'UTF8')) AS hash, urr.partition_of(key, 7) AS partition
     FROM unnest($1::text[]) WITH ORDINALITY AS row (key, place) ORDER BY place`,
    [keys],
  );
  expect(rows).toEqual(keys.map((key) => ({ hash: murmur2(Buffer.from(key)) >>> 0, partition: partitionOf(key, 7) })));
});

test('ids that SQL makes are UUIDs of version 7 of their time', async () => {
  const at = new Date('2027-03-01T11:00:00.123Z');
  const { rows } = await database.query<{ id: string; own: string; time: string }>(
    'SELECT urr.uuid7($1) AS id, urr.uuid7() AS own, urr.iso_time($1) AS time',
    [at],
  );
  const { id = '', own = '', time } = rows[0] ?? {};
  expect(isUuid(id) && isUuid(own)).toBe(true);
  expect(id[14]).toBe('7');
  expect('89ab').toContain(id[19]);
  expect(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toBe(at.getTime());
  expect(time).toBe(at.toISOString());
});

test('an event that SQL writes is relayed and passes its schema', async () => {
  const topic = aTopic();
  const seen: Counted[] = [];
  const ids = createIds({ clock: systemClock, random: systemRandom });
  const bus = createEmbeddedBus({ database, topics: [topic], clock: systemClock, ids });
  await bus.start();
  try {
    await bus.consume(
      defineConsumer({
        declaration: {
          topic,
          group: aGroup(),
          mode: 'batch',
          commit: 'manual',
          retry: { times: 0, backoffMs: 1 },
          deadLetter: null,
        },
        async handle(events) {
          seen.push(...events);
        },
      }),
    );
    const at = new Date('2027-03-01T11:00:00.123Z');
    const key = 'a "quoted" key, 좌석 🎫';
    await database.query('SELECT urr.append_event($1, $2, $3, $4, $5, $6::jsonb, $7)', [
      topic.name,
      topic.partitions,
      key,
      'COUNTED',
      2,
      { n: 7, note: 'as \\ it is' },
      at,
    ]);
    bus.wakeRelays();
    await eventually(() => seen.length === 1, { withinMs: settleMs, what: 'the event' });
    expect(seen[0]).toMatchObject({
      type: 'COUNTED',
      version: 2,
      occurredAt: at.toISOString(),
      key,
      data: { n: 7, note: 'as \\ it is' },
    });
    const { rows } = await database.query(
      'SELECT partition, bytes = octet_length(envelope::text) AS counted FROM urr.outbox',
    );
    expect(rows).toEqual([{ partition: partitionOf(key, topic.partitions), counted: true }]);
  } finally {
    await bus.stop();
  }
});

test('what a broker would refuse for ever is not written', async () => {
  const append = (key: string, data: unknown) =>
    database.query(`SELECT urr.append_event('t', 3, $1, 'LARGE', 1, $2::jsonb, urr.now())`, [key, data]);
  await expect(append('key', { text: 'x'.repeat(900_000) })).rejects.toThrow('larger');
  await expect(append('k'.repeat(257), {})).rejects.toThrow('longer');
  await expect(append('key', null)).rejects.toThrow('lacks');
});
