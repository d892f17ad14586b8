import { randomUUID } from 'node:crypto';
import { Admin } from '@platformatic/kafka';
import { afterAll, expect, test } from 'vitest';
import { describeWith } from '#test/kit/engines/needs.ts';
import { sharedEngine } from '#test/kit/engines/shared.ts';
import { connectionOptions } from './kafka-options.ts';
import type { KafkaRecord } from './kafka-producer.ts';
import { createKafkaSender } from './kafka-sender.ts';

describeWith('kafka', 'what is sent to Kafka', () => {
  const endings: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const ending of endings.reverse()) await ending();
  });

  async function aSender() {
    const { brokers } = await sharedEngine('kafka');
    const topic = `sender-${randomUUID()}`;
    const options = { brokers: brokers.split(','), clientId: 'test' };
    const admin = new Admin(connectionOptions(options));
    await admin.createTopics({ topics: [topic], partitions: 1, replicas: 1 });
    const sender = createKafkaSender({ ...options, timeoutMs: 20_000 });
    endings.push(async () => {
      await sender.close();
      await admin.close();
    });
    const end = async () => {
      const [listed] = await admin.listOffsets({
        topics: [{ name: topic, partitions: [{ partitionIndex: 0, timestamp: -1n }] }],
      });
      return Number(listed?.partitions[0]?.offset);
    };
    return { sender, topic, end };
  }

  test('more than a broker takes in one batch arrives all the same', async () => {
    const { sender, topic, end } = await aSender();
    const records = Array.from(
      { length: 1_500 },
      (_, n): KafkaRecord => ({ topic, partition: 0, key: 'k', value: `${n} ${'x'.repeat(2_000)}`, headers: null }),
    );
    await sender.send(records);
    expect(await end()).toBe(1_500);
  });

  test('what still waits when the sender is closed is refused, and nothing is opened again', async () => {
    const { sender, topic, end } = await aSender();
    const record = (value: string): KafkaRecord => ({ topic, partition: 0, key: 'k', value, headers: null });
    const sends = ['first', 'second'].map((value) => sender.send([record(value)]).catch((error: unknown) => error));
    await sender.close();
    const [, second] = await Promise.all(sends);
    expect(second).toMatchObject({ code: 'BUS_UNAVAILABLE' });
    await expect(sender.send([record('third')])).rejects.toMatchObject({ code: 'BUS_UNAVAILABLE' });
    expect(await end()).toBeLessThan(2);
  });
});
