import { Admin, Consumer as KafkaClient, ProduceAcks, Producer } from '@platformatic/kafka';
import { anEvent, aTopic, ids } from './events.ts';

/**
 * What the broker and its client can do at all: no database, no outbox, no inbox, no effect. `writers` send at the same time,
 * each `eventsPerSend` at a time, and wait for the acknowledgement.
 */
export async function throughBareClient(options: {
  brokers: readonly string[];
  events: number;
  writers: number;
  eventsPerSend: number;
}): Promise<number> {
  const { events, writers, eventsPerSend } = options;
  const topic = aTopic('bare');
  const connection = { clientId: 'bench', bootstrapBrokers: [...options.brokers] };
  const admin = new Admin(connection);
  await admin.createTopics({ topics: [topic.name], partitions: topic.partitions, replicas: 1 });
  await admin.close();
  const consumer = new KafkaClient({ ...connection, groupId: topic.name, autocommit: 100, maxWaitTime: 100 });
  const producer = new Producer({ ...connection, idempotent: true, acks: ProduceAcks.ALL });
  const stream = await consumer.consume({ topics: [topic.name], mode: 'earliest' });
  const record = (number: number) => {
    const event = anEvent(number);
    const envelope = { id: ids.next(), version: 1, occurredAt: new Date().toISOString(), ...event };
    return { topic: topic.name, key: Buffer.from(event.key), value: Buffer.from(JSON.stringify(envelope)) };
  };
  const started = performance.now();
  let next = 0;
  const write = async () => {
    while (next < events) {
      const from = next;
      next += eventsPerSend;
      await producer.send({ messages: Array.from({ length: eventsPerSend }, (_, index) => record(from + index)) });
    }
  };
  const sending = Promise.all(Array.from({ length: writers }, write));
  let received = 0;
  for await (const { value } of stream) {
    JSON.parse(value.toString());
    received += 1;
    if (received === events) break;
  }
  await sending;
  const seconds = (performance.now() - started) / 1_000;
  await consumer.close(true);
  await producer.close();
  return events / seconds;
}
