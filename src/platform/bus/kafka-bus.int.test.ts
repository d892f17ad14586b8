import { Admin, Consumer, Producer, stringDeserializers, stringSerializers } from '@platformatic/kafka';
import { migrate, platformMigrations } from '#platform/postgres/migrate.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { startKafka } from '#test/kit/engines/kafka.ts';
import { startPostgres } from '#test/kit/engines/postgres.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { describeBus } from './conformance.ts';
import { createKafkaBus } from './kafka/kafka-bus.ts';

describeBus('the bus on Kafka', async () => {
  const postgres = await startPostgres({ dir: await aFolder('kafka-bus-postgres') });
  const kafka = await startKafka({ dir: await aFolder('kafka-bus') });
  const database = createDatabase({ url: postgres.url, poolMax: 20 });
  await migrate(database, [platformMigrations]);
  const client = { clientId: 'test', bootstrapBrokers: [kafka.brokers] };
  const brokers = kafka.brokers.split(',');
  return {
    database,
    postgres,
    broker: kafka,
    createBus: (options) =>
      createKafkaBus({ ...options, brokers, clientId: 'test', replication: 1, sessionTimeoutMs: 6_000 }),
    child: { URR_DATABASE_URL: postgres.url, URR_KAFKA_BROKERS: kafka.brokers },
    readTopic: (topic) => readWholeTopic(client, topic),
    async appendRaw({ topic, partition, key, value }) {
      const producer = new Producer({ ...client, serializers: stringSerializers });
      await producer.send({ messages: [{ topic, partition, key, value }] });
      await producer.close();
    },
    async close() {
      await database.close();
      await kafka.stop();
      await postgres.stop();
    },
  };
});

async function readWholeTopic(client: { clientId: string; bootstrapBrokers: string[] }, topic: string) {
  const admin = new Admin(client);
  const exists = (await admin.listTopics()).includes(topic);
  await admin.close();
  if (!exists) return [];
  const consumer = new Consumer({
    ...client,
    groupId: `look-${performance.now()}`,
    deserializers: stringDeserializers,
  });
  const ends = (await consumer.listOffsets({ topics: [topic] })).get(topic) ?? [];
  let left = ends.reduce((sum, end) => sum + Number(end), 0);
  const found: { value: string; headers: Record<string, string>; partition: number }[] = [];
  if (left > 0) {
    const stream = await consumer.consume({ topics: [topic], mode: 'earliest', autocommit: false, maxWaitTime: 100 });
    for await (const { value, headers, partition } of stream) {
      found.push({ value, headers: Object.fromEntries(headers), partition });
      left -= 1;
      if (left === 0) break;
    }
  }
  await consumer.close(true);
  return found.sort((one, other) => one.partition - other.partition);
}
