import { Admin, ConfigResourceTypes, IncrementalAlterConfigOperationTypes } from '@platformatic/kafka';
import { Type } from 'typebox';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { createIds } from '#platform/ids.ts';
import type { Database } from '#platform/postgres/database.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { systemRandom } from '#platform/random.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { sharedEngine } from '#test/kit/engines/shared.ts';
import { eventually } from '#test/kit/faults.ts';
import { connectTimeoutMs } from '../conformance/harness.ts';
import { readKafkaTopic } from '../conformance/kafka-topic.ts';
import { aTopic, range } from '../conformance/records.ts';
import type { BusObserver } from '../options.ts';
import { partitionOf } from '../partitioner.ts';
import { type BusEngine, type Consumer, defineConsumer, type TopicDefinition } from '../port.ts';
import { createKafkaBus } from './kafka-bus.ts';
import { lookAtTopics } from './kafka-catalogue.ts';
import { connectionOptions } from './kafka-options.ts';

const settleMs = 60_000;
const ids = createIds({ clock: systemClock, random: systemRandom });

describeWith('kafka', 'a topic that cannot be sent to', () => {
  let brokers: string[] = [];
  let admin: Admin;
  let database: Database;
  const running: BusEngine[] = [];

  beforeAll(async () => {
    brokers = (await sharedEngine('kafka')).brokers.split(',');
    admin = new Admin(connectionOptions({ brokers, clientId: 'test' }));
    database = createDatabase({ url: (await aDatabase()).url, poolMax: 5, connectTimeoutMs });
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((bus) => bus.stop()));
    await database.query('TRUNCATE urr.outbox');
  });
  afterAll(async () => {
    await admin.close();
    await database.close();
  });

  async function start(topics: readonly TopicDefinition[], observe: BusObserver = {}): Promise<BusEngine> {
    const bus = createKafkaBus({
      database,
      topics,
      clock: systemClock,
      ids,
      observe,
      brokers,
      clientId: 'test',
      replication: 1,
    });
    running.push(bus);
    await bus.start();
    return bus;
  }

  async function publish(
    bus: BusEngine,
    topic: TopicDefinition,
    events: readonly { key: string; n: number; note?: string }[],
  ) {
    await database.transaction((tx) =>
      bus.publish(
        tx,
        topic,
        events.map(({ key, ...data }) => ({ type: 'COUNTED', key, data })),
      ),
    );
  }

  const numbered = (count: number) => range(1, count).map((n) => ({ key: `key-${n % 50}`, n }));
  const records = async (topic: TopicDefinition) =>
    (await readKafkaTopic(brokers, topic.name)).map(({ key, partition, value }) => {
      const { data } = JSON.parse(value) as { data: { n: number } };
      return { key, partition, n: data.n };
    });
  const recordsWhen = (topic: TopicDefinition, count: number) =>
    eventually(
      async () => {
        const found = await records(topic);
        return found.length >= count && found;
      },
      { withinMs: settleMs, what: `${count} records of ${topic.name}` },
    );
  const emptyOutbox = (bus: BusEngine) =>
    eventually(async () => (await bus.outboxBacklog()).rows === 0, { withinMs: settleMs, what: 'an empty outbox' });

  test('because it was deleted does not keep the events of another; it is made again and gets its own', async () => {
    const [deleted, healthy] = [aTopic(), aTopic()];
    const stuck: string[] = [];
    const bus = await start([deleted, healthy], {
      topicStuck: (topic, reason) => void stuck.push(`${topic} ${reason}`),
    });
    await publish(bus, deleted, [{ key: 'key', n: 1 }]);
    await emptyOutbox(bus);
    await deleteTopic(deleted.name);
    await publish(bus, deleted, [{ key: 'key', n: 2 }]);
    await publish(bus, healthy, numbered(1_001));
    expect(await recordsWhen(healthy, 1_001)).toHaveLength(1_001);
    await recordsWhen(deleted, 2);
    await emptyOutbox(bus);
    expect(await records(healthy)).toHaveLength(1_001);
    expect(stuck.filter((line) => !line.startsWith(deleted.name))).toEqual([]);
  });

  test('because Kafka has no good answer about it does not keep the events of another, and is told by its name', async () => {
    const healthy = aTopic();
    const stuck: string[] = [];
    const bus = await start([healthy], { topicStuck: (topic, reason) => void stuck.push(`${topic} ${reason}`) });
    await publish(bus, healthy, numbered(1));
    await emptyOutbox(bus);
    await database.query(
      `INSERT INTO urr.outbox (topic, partition, key, event_id, type, envelope)
       VALUES ('not a topic', 0, 'key', gen_random_uuid(), 'X', '{}')`,
    );
    await eventually(() => stuck.length > 0, { withinMs: settleMs, what: 'the topic to be told as stuck' });
    await publish(bus, healthy, numbered(1_000));
    expect(await recordsWhen(healthy, 1_001)).toHaveLength(1_001);
    expect(stuck.every((line) => line.startsWith('not a topic INVALID_TOPIC_EXCEPTION'))).toBe(true);
    expect(await bus.outboxBacklog()).toMatchObject({ rows: 1 });
  });

  test('because of one row that is too large sets that row aside; its key waits, and all else is sent once', async () => {
    const [limited, healthy] = [aLargeTopic(), aTopic()];
    await admin.createTopics({
      topics: [limited.name],
      partitions: 3,
      replicas: 1,
      configs: [{ name: 'max.message.bytes', value: '200000' }],
    });
    const refused: string[] = [];
    const bus = await start([limited, healthy], { refused: (topic) => void refused.push(topic) });
    const note = 'x'.repeat(300_000);
    await publish(bus, limited, [{ key: 'large', n: 1, note }, ...range(2, 3).map((n) => ({ key: 'large', n }))]);
    await publish(bus, limited, [{ key: 'other', n: 1, note }]);
    for (let n = 0; n < 3; n++) await publish(bus, limited, numbered(1_000));
    await publish(bus, healthy, numbered(1_001));
    await recordsWhen(healthy, 1_001);
    await recordsWhen(limited, 3_000);
    await emptyOutbox(bus);
    expect(await records(healthy)).toHaveLength(1_001);
    expect((await records(limited)).filter(({ key }) => key === 'large')).toEqual([]);
    expect(await records(limited)).toHaveLength(3_000);
    expect(refused).toEqual([limited.name, limited.name]);

    const rows = await bus.refusedRows({ limit: 10 });
    expect(rows).toMatchObject([
      { topic: limited.name, key: 'large', reason: expect.stringContaining('MESSAGE_TOO_LARGE'), behind: 2 },
      { topic: limited.name, key: 'other', behind: 0 },
    ]);
    await publish(bus, limited, [
      { key: 'large', n: 4 },
      { key: 'other', n: 2 },
    ]);
    await setMessageBytesMax(limited.name, 1_000_000);
    await bus.releaseRefused({ id: rows[0]?.id ?? 0, drop: false });
    await bus.releaseRefused({ id: rows[1]?.id ?? 0, drop: true });
    const all = await recordsWhen(limited, 3_005);
    expect(all.filter(({ key }) => key === 'large').map(({ n }) => n)).toEqual([1, 2, 3, 4]);
    expect(all.filter(({ key }) => key === 'other').map(({ n }) => n)).toEqual([2]);
    expect(await bus.refusedRows({ limit: 10 })).toEqual([]);
    expect(await bus.releaseRefused({ id: rows[0]?.id ?? 0, drop: false })).toBeNull();
  });

  test('does not fail a publishNow to another', async () => {
    const [deleted, healthy] = [aTopic(), aTopic()];
    const bus = await start([deleted, healthy]);
    const now = (topic: TopicDefinition, n: number) =>
      bus.publishNow(topic, [{ type: 'COUNTED', key: `key-${n}`, data: { n } }]);
    await Promise.all([now(deleted, 1), now(healthy, 1)]);
    await deleteTopic(deleted.name);
    const calls = range(2, 200).map((n) => ({ topic: n % 10 === 0 ? deleted : healthy, n }));
    const outcomes = await Promise.allSettled(calls.map(({ topic, n }) => now(topic, n)));
    const failed = calls.filter((_, index) => outcomes[index]?.status === 'rejected').map(({ topic }) => topic.name);
    expect(new Set(failed)).toEqual(new Set([deleted.name]));
    expect(failed).toHaveLength(calls.filter(({ topic }) => topic === deleted).length);
  });

  test('a publishNow that is too large fails alone', async () => {
    const limited = aLargeTopic();
    await admin.createTopics({
      topics: [limited.name],
      partitions: 1,
      replicas: 1,
      configs: [{ name: 'max.message.bytes', value: '10000' }],
    });
    const bus = await start([{ ...limited, partitions: 1 }]);
    const now = (n: number, note: string) =>
      bus.publishNow({ ...limited, partitions: 1 }, [{ type: 'COUNTED', key: 'key', data: { n, note } }]);
    await now(0, '');
    const outcomes = await Promise.allSettled(range(1, 20).map((n) => now(n, n === 7 ? 'x'.repeat(20_000) : '')));
    expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual(range(1, 20).map((n) => n !== 7));
  });

  test('was deleted and made again: what the outbox still has is sent once more, in order', async () => {
    const topic = aTopic();
    const replaced: string[] = [];
    const bus = await start([topic], { topicReplaced: (name) => void replaced.push(name) });
    const effects: number[] = [];
    await bus.consume(counter(topic, effects));
    await publish(
      bus,
      topic,
      range(1, 10).map((n) => ({ key: 'key', n })),
    );
    await recordsWhen(topic, 10);
    await emptyOutbox(bus);
    await admin.deleteTopics({ topics: [topic.name] });
    await admin.createTopics({ topics: [topic.name], partitions: 3, replicas: 1 });
    // Without anything new to send: the outbox gives back what the topic has lost.
    await recordsWhen(topic, 10);
    await publish(
      bus,
      topic,
      range(11, 15).map((n) => ({ key: 'key', n })),
    );
    const found = await recordsWhen(topic, 15);
    expect(found.map(({ n }) => n)).toEqual(range(1, 15));
    expect(replaced).toContain(topic.name);
    await eventually(() => effects.length >= 15, { withinMs: settleMs, what: 'fifteen effects' });
    expect(effects).toEqual(range(1, 15));
  });

  test('was made again with fewer partitions: its events wait and are not put into a wrong one', async () => {
    const topic = aTopic();
    const reasons: (string | null)[] = [];
    const bus = await start([topic], { topicStuck: (_, reason) => void reasons.push(reason) });
    const keys = range(0, 2).map(keyOf);
    await publish(
      bus,
      topic,
      keys.map((key) => ({ key, n: 1 })),
    );
    await recordsWhen(topic, 3);
    await emptyOutbox(bus);
    await admin.deleteTopics({ topics: [topic.name] });
    await admin.createTopics({ topics: [topic.name], partitions: 1, replicas: 1 });
    await publish(
      bus,
      topic,
      keys.map((key) => ({ key, n: 2 })),
    );
    await eventually(() => reasons.some((reason) => reason?.includes('has 1 partitions')), {
      withinMs: settleMs,
      what: 'the topic to be told as stuck',
    });
    const early = await recordsWhen(topic, 2);
    expect(early.filter(({ key }) => key !== keys[0])).toEqual([]);
    await admin.createPartitions({ topics: [{ name: topic.name, count: 3 }] });
    await emptyOutbox(bus);
    const found = await recordsWhen(topic, 6);
    for (const [partition, key] of keys.entries()) {
      const own = found.filter((record) => record.key === key);
      expect(own.filter((record) => record.partition !== partition)).toEqual([]);
      // One that was sent in the moment in which the topic was replaced may be there before these.
      expect(own.slice(-2).map(({ n }) => n)).toEqual([1, 2]);
    }
    await eventually(() => reasons.at(-1) === null, { withinMs: settleMs, what: 'the topic to be told as well' });
  });

  const stateOf = async (topic: string) => (await lookAtTopics(admin, [topic])).get(topic) ?? null;
  /** Kafka says that it is done before the broker knows of it. The relay may have made it again by then: with another id. */
  async function deleteTopic(topic: string): Promise<void> {
    const before = await stateOf(topic);
    await admin.deleteTopics({ topics: [topic] });
    await eventually(async () => JSON.stringify(await stateOf(topic)) !== JSON.stringify(before), {
      withinMs: settleMs,
      what: `the broker to know that ${topic} is gone`,
    });
  }

  async function setMessageBytesMax(topic: string, bytes: number): Promise<void> {
    await admin.incrementalAlterConfigs({
      resources: [
        {
          resourceType: ConfigResourceTypes.TOPIC,
          resourceName: topic,
          configs: [
            {
              name: 'max.message.bytes',
              configOperation: IncrementalAlterConfigOperationTypes.SET,
              value: String(bytes),
            },
          ],
        },
      ],
    });
  }
});

function aLargeTopic(): TopicDefinition {
  const topic = aTopic();
  const data = Type.Object({ n: Type.Integer(), note: Type.Optional(Type.String()) });
  return { ...topic, types: { COUNTED: { ...topic.types.COUNTED, data } } };
}

/** Its effect is a number in the list, once the transaction has committed. */
function counter(topic: ReturnType<typeof aTopic>, effects: number[]): Consumer {
  return defineConsumer({
    declaration: {
      topic,
      group: `${topic.name}-group`,
      mode: 'batch',
      commit: 'manual',
      retry: { times: 0, backoffMs: 1 },
      deadLetter: null,
    },
    async handle(events, { tx }) {
      tx.afterCommit(() => void effects.push(...events.map(({ data }) => data.n)));
    },
  });
}

/** A key of this partition of three. */
function keyOf(partition: number): string {
  for (let n = 0; ; n++) if (partitionOf(`key-${n}`, 3) === partition) return `key-${n}`;
}
