import { Admin, Consumer, stringDeserializers } from '@platformatic/kafka';

export interface TopicRecord {
  readonly partition: number;
  readonly key: string;
  readonly value: string;
  readonly headers: Record<string, string>;
}

/** All that is in a Kafka topic, partition by partition, read past the bus. A topic that is not there has nothing. */
export async function readKafkaTopic(brokers: readonly string[], topic: string): Promise<TopicRecord[]> {
  const client = { clientId: 'look', bootstrapBrokers: [...brokers] };
  const admin = new Admin(client);
  const exists = (await admin.listTopics()).includes(topic);
  await admin.close();
  if (!exists) return [];
  const consumer = new Consumer({
    ...client,
    groupId: `look-${performance.now()}`,
    deserializers: stringDeserializers,
  });
  try {
    const ends = (await consumer.listOffsets({ topics: [topic] })).get(topic) ?? [];
    let left = ends.reduce((sum, end) => sum + Number(end), 0);
    const found: TopicRecord[] = [];
    if (left > 0) {
      const stream = await consumer.consume({ topics: [topic], mode: 'earliest', autocommit: false, maxWaitTime: 100 });
      for await (const { value, key, headers, partition } of stream) {
        found.push({ value, key, headers: Object.fromEntries(headers), partition });
        left -= 1;
        if (left === 0) break;
      }
    }
    return found.sort((one, other) => one.partition - other.partition);
  } finally {
    await consumer.close(true);
  }
}
