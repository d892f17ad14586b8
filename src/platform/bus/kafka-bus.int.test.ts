import { Producer, stringSerializers } from '@platformatic/kafka';
import { migrate, platformMigrations } from '#platform/postgres/migrate.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { startKafka } from '#test/kit/engines/kafka.ts';
import { startPostgres } from '#test/kit/engines/postgres.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { connectTimeoutMs } from './conformance/harness.ts';
import { readKafkaTopic } from './conformance/kafka-topic.ts';
import { describeBus } from './conformance.ts';
import { createKafkaBus } from './kafka/kafka-bus.ts';

const parts = { faultMode: 'single', brokerGoes: ['kill'] } as const;

describeBus('the bus on Kafka', parts, async () => {
  const postgres = await startPostgres({ dir: await aFolder('kafka-bus-postgres') });
  const kafka = await startKafka({ dir: await aFolder('kafka-bus') });
  const database = createDatabase({ url: postgres.url, poolMax: 20, connectTimeoutMs });
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
    readTopic: (topic) => readKafkaTopic(brokers, topic),
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
