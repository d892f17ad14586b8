import { Admin } from '@platformatic/kafka';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type KafkaEngine, startKafka } from '#test/kit/engines/kafka.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { eventually } from '#test/kit/faults.ts';
import { settleMs, useBus } from '../conformance/harness.ts';
import { aKafkaWorld } from '../conformance/kafka-world.ts';
import { aGroup, aTopic, range, recorder, type TestTopic } from '../conformance/records.ts';
import { connectionOptions } from './kafka-options.ts';
import { brokerAnswer } from './kafka-verdicts.ts';

describe('a broker of two is lost, and partitions have no leader', () => {
  let kafka: KafkaEngine;
  let admin: Admin;
  const kit = useBus(async () => {
    const world = await aKafkaWorld('kafka-leaderless');
    kafka = world.broker;
    return world;
  });
  beforeAll(() => {
    admin = new Admin(connectionOptions({ brokers: [kafka.brokers], clientId: 'test' }));
  });
  afterAll(() => admin.close());

  /** Its partitions live on these brokers, one copy each. */
  async function make(topic: TestTopic, brokers: readonly number[]): Promise<void> {
    await admin.createTopics({
      topics: [topic.name],
      partitions: -1,
      replicas: -1,
      assignments: brokers.map((broker, partition) => ({ partition, brokers: [broker] })),
    });
  }

  test('what lives on the other goes on: publishing, consuming, lag, and a process that starts', async () => {
    const [broken, healthy] = [aTopic(), aTopic()];
    const [group, brokenGroup, later] = [aGroup(), aGroup(), aGroup()];
    const stuck: string[] = [];
    const observe = { topicStuck: (topic: string, reason: string | null) => void stuck.push(`${topic} ${reason}`) };
    const first = await kit.start([healthy]);
    // While there is one broker: Kafka's own topic of the offsets is then there.
    await first.consume(recorder(healthy, group));
    await kit.publish(first, healthy, 'key', [1]);
    await kit.effectsWhenSettled(group, 1);
    await first.stop();

    const second = await startKafka({ dir: await aFolder('kafka-leaderless-second'), beside: kafka });
    try {
      await eventually(() => make(broken, [1, 1, 2]), { withinMs: settleMs, what: 'the second broker' });
      const bus = await kit.start([broken, healthy], { observe });
      await bus.consume(recorder(healthy, group));
      await bus.consume(recorder(broken, brokenGroup));
      for (const n of range(1, 9)) await kit.publish(bus, broken, `key-${n}`, [n]);
      await kit.effectsWhenSettled(brokenGroup, 9);
    } finally {
      await second.kill();
    }
    await eventually(
      () =>
        admin.metadata({ topics: [broken.name], forceUpdate: true }).then(
          () => false,
          (error: unknown) => brokerAnswer(error)?.startsWith('LEADER_NOT_AVAILABLE') === true,
        ),
      { withinMs: settleMs, what: 'a partition without a leader' },
    );

    const bus = await kit.start([broken, healthy], { observe });
    await bus.consume(recorder(healthy, later));
    for (const n of range(10, 18)) await kit.publish(bus, broken, `key-${n}`, [n]);
    await eventually(() => stuck.some((line) => line.startsWith(`${broken.name} LEADER_NOT_AVAILABLE`)), {
      withinMs: settleMs,
      what: 'the topic to be told as stuck',
    });
    await kit.publish(bus, healthy, 'key', range(2, 1_000));
    await kit.effectsWhenSettled(group, 1_000);
    expect(await kit.effectsWhenSettled(later, 1_000)).toHaveLength(1_000);
    const lags = await eventually(
      async () => {
        const found = (await bus.lag()).filter((one) => one.topic === healthy.name && one.group === later);
        return found.length > 0 && found.every((one) => one.lag === 0) && found;
      },
      { withinMs: settleMs, what: 'the lag of the healthy topic' },
    );
    expect(lags).toHaveLength(3);
    expect(stuck.filter((line) => !line.startsWith(broken.name))).toEqual([]);
  });
});
