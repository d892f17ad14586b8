import { afterAll, expect, test } from 'vitest';
import { createDatabase } from '#platform/postgres/pool.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { findLanes, laneKey } from '../outbox.ts';
import { createKafkaCarrier } from './kafka-carrier.ts';
import type { Verdict } from './kafka-producer.ts';

const { url } = await aDatabase();
const database = createDatabase({ url, poolMax: 2, connectTimeoutMs: 60_000 });
afterAll(() => database.close());

const lane = { topic: 'orders', partition: 0 };

test('a partition is given back only when a lane that is sent alone has nothing in hand', async () => {
  await database.query(
    `INSERT INTO urr.outbox (topic, partition, key, event_id, type, envelope)
     VALUES ('orders', 0, 'key', gen_random_uuid(), 'ORDERED', '{}')`,
  );
  const sending = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<ReadonlyMap<string, Verdict>>();
  let looks = 0;
  const carrier = createKafkaCarrier({
    control: database,
    // At first the topic is not there, so its lane goes on alone.
    catalogue: {
      look: async () => new Map([[lane.topic, looks++ === 0 ? null : { id: 'id', partitions: 1 }]]),
    },
    declared: new Set(),
    makeTopic: async () => {},
    createProducer: () => ({
      produce: () => {
        sending.resolve();
        return answer.promise;
      },
      close: async () => {},
    }),
    logger: silentLogger,
    observe: {},
    failpoint: async () => {},
  });
  expect(await carrier.carry(await findLanes(database))).toEqual({ moved: [], more: false });
  await sending.promise;

  const order: string[] = [];
  const released = carrier.release?.(lane.partition).then(() => order.push('given back'));
  // A statement takes longer than a release that waits for nothing.
  await database.query('SELECT 1');
  order.push('answered');
  answer.resolve(new Map([[laneKey(lane), { sent: 1, failure: null }]]));
  await released;
  expect(order).toEqual(['answered', 'given back']);
  const { rows } = await database.query('SELECT FROM urr.outbox WHERE published_at IS NOT NULL');
  expect(rows).toHaveLength(1);
  await carrier.close();
});
