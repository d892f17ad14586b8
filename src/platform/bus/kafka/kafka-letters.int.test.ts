import {
  Admin,
  ConfigResourceTypes,
  Consumer,
  IncrementalAlterConfigOperationTypes,
  Producer,
} from '@platformatic/kafka';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '#test/kit/faults.ts';
import { aLog } from '#test/kit/log.ts';
import { settleMs, useBus } from '../conformance/harness.ts';
import { aKafkaWorld } from '../conformance/kafka-world.ts';
import { aGroup, aTopic, type Counted, range, recorder } from '../conformance/records.ts';
import { partitionOf } from '../partitioner.ts';

let brokers = '';
const client = () => ({ clientId: 'test', bootstrapBrokers: brokers.split(',') });

describe('dead letters on Kafka', () => {
  const kit = useBus(async () => {
    const world = await aKafkaWorld('kafka-letters');
    brokers = world.broker.brokers;
    return world;
  });
  let admin: Admin;
  beforeAll(() => {
    admin = new Admin(client());
  });
  afterAll(() => admin.close());

  test('bytes that are no UTF-8 reach the dead-letter topic unchanged', async () => {
    const topic = aTopic();
    const group = aGroup();
    const bus = await kit.start([topic]);
    await bus.consume(recorder(topic, group));
    const poison = Buffer.from([0xff, 0x00, 0xfe, 0x7b, 0x80]);
    const partition = partitionOf('key', topic.partitions);
    const producer = new Producer(client());
    await producer.send({ messages: [{ topic: topic.name, partition, key: Buffer.from('key'), value: poison }] });
    await producer.close();
    expect(await firstValueOf(`${topic.name}-dead`)).toEqual(poison);
  });

  const hindrances: Record<string, (deadLetters: string) => Promise<unknown>> = {
    'is deleted': (deadLetters) => admin.deleteTopics({ topics: [deadLetters] }),
    'refuses what it is sent': (deadLetters) =>
      admin.incrementalAlterConfigs({
        resources: [
          {
            resourceType: ConfigResourceTypes.TOPIC,
            resourceName: deadLetters,
            configs: [
              { name: 'max.message.bytes', value: '100', configOperation: IncrementalAlterConfigOperationTypes.SET },
            ],
          },
        ],
      }),
  };
  for (const [what, hinder] of Object.entries(hindrances)) {
    test(`a dead-letter topic that ${what} holds up neither the partition nor publishNow`, async () => {
      const topic = aTopic();
      const group = aGroup();
      const bus = await kit.start([topic]);
      const before = (event: Counted) => {
        if (event.data.n === 2) throw new Error('never');
      };
      await bus.consume(recorder(topic, group, { before, retry: { times: 0, backoffMs: 1 } }));
      const publishOne = (n: number) => bus.publishNow(topic, [{ type: 'COUNTED', key: 'key', data: { n } }]);
      await publishOne(1);
      await kit.effectsWhenSettled(group, 1);
      await hinder(`${topic.name}-dead`);
      const failed: number[] = [];
      for (const n of range(2, 40)) await publishOne(n).catch(() => failed.push(n));
      expect(failed).toEqual([]);
      expect((await kit.effectsWhenSettled(group, 39)).map(({ n }) => n)).toEqual([1, ...range(3, 40)]);
    });
  }

  test('a bus stops at once while Kafka does not answer how far its groups are', async () => {
    const topic = aTopic();
    const { logger, lines } = aLog();
    let toldAt = 0;
    const bus = await kit.start([topic], {
      logger,
      groups: [{ topic: topic.name, group: aGroup() }],
      lagEveryMs: 10,
      observe: {
        lag: () => {
          toldAt = performance.now();
        },
      },
    });
    await eventually(() => toldAt > 0, { withinMs: settleMs, what: 'the lag to be told' });
    await kit.under().broker.pause();
    try {
      // It is asked for every 10 ms. When it has not been told for a second, a question is without an answer.
      await eventually(() => performance.now() - toldAt > 1_000, { withinMs: settleMs, what: 'Kafka to hang' });
      await bus.stop();
    } finally {
      await kit.under().broker.resume();
    }
    expect(lines()).not.toContain('the bus did not stop in time; what was in hand is sent or delivered again');
  });
});

async function firstValueOf(topic: string): Promise<Buffer | undefined> {
  await eventually(
    async () => {
      const admin = new Admin(client());
      const exists = (await admin.listTopics()).includes(topic);
      await admin.close();
      return exists;
    },
    { withinMs: settleMs, what: `the topic ${topic}` },
  );
  const consumer = new Consumer({ ...client(), groupId: `look-${performance.now()}` });
  const stream = await consumer.consume({ topics: [topic], mode: 'earliest', autocommit: false, maxWaitTime: 100 });
  try {
    for await (const { value } of stream) return value;
  } finally {
    await consumer.close(true);
  }
  return undefined;
}
