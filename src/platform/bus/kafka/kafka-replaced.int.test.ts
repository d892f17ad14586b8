import { afterAll, expect, test } from 'vitest';
import type { Queryable } from '#platform/postgres/database.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { resendLane } from './kafka-replaced.ts';

const { url } = await aDatabase();
const database = createDatabase({ url, poolMax: 2, connectTimeoutMs: 60_000 });
afterAll(() => database.close());

const lane = { topic: 'orders', partition: 0 };
const { signal } = new AbortController();

async function state(): Promise<{ topicId: string | null; unpublished: number }> {
  const { rows } = await database.query<{ topicId: string | null; unpublished: number }>(
    `SELECT topic_id AS "topicId", (SELECT count(*) FROM urr.outbox WHERE published_at IS NULL) AS unpublished FROM urr.bus_lanes`,
  );
  return rows[0] ?? { topicId: null, unpublished: -1 };
}

test('a topic whose events are sent once more has its new id only when all of them are marked', async () => {
  await database.query(
    `INSERT INTO urr.outbox (topic, partition, key, event_id, type, envelope, published_at)
     SELECT 'orders', 0, 'key', gen_random_uuid(), 'ORDERED', '{}', urr.now() FROM generate_series(1, 3)`,
  );
  await database.query(`INSERT INTO urr.bus_lanes (topic, partition, floor, topic_id) VALUES ('orders', 0, 3, 'old')`);
  let answers = 1;
  const breaking: Pick<Queryable, 'query'> = {
    async query<Row>(text: string, values?: readonly unknown[]) {
      if (answers === 0) throw new Error('the database is away');
      answers -= 1;
      return database.query<Row>(text, values);
    },
  };
  await expect(resendLane(breaking, lane, { id: 'new', signal })).rejects.toThrow('away');
  expect(await state()).toEqual({ topicId: 'old', unpublished: 3 });

  // One relay has begun; the next one does all of it again.
  await database.query('UPDATE urr.outbox SET published_at = urr.now()');
  expect(await resendLane(database, lane, { id: 'new', signal })).toBe(true);
  expect(await state()).toEqual({ topicId: 'new', unpublished: 3 });
});
