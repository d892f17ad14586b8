import { randomBytes } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { createIds } from '#platform/ids.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { systemRandom } from '#platform/random.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { eventually } from '#test/kit/faults.ts';
import { createEmbeddedBus } from './embedded-bus.ts';

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
