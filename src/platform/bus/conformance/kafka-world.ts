import { migrate, platformMigrations } from '#platform/postgres/migrate.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { type KafkaEngine, startKafka } from '#test/kit/engines/kafka.ts';
import { startPostgres } from '#test/kit/engines/postgres.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { createKafkaBus } from '../kafka/kafka-bus.ts';
import { type BusUnderTest, connectTimeoutMs } from './harness.ts';

/** Engines of its own for a test of Kafka alone, which looks at topics with its own client and starts no processes. */
export async function aKafkaWorld(name: string): Promise<BusUnderTest & { readonly broker: KafkaEngine }> {
  const postgres = await startPostgres({ dir: await aFolder(`${name}-postgres`) });
  const broker = await startKafka({ dir: await aFolder(name) });
  const brokers = broker.brokers.split(',');
  const database = createDatabase({ url: postgres.url, poolMax: 20, connectTimeoutMs });
  await migrate(database, [platformMigrations]);
  return {
    database,
    postgres,
    broker,
    createBus: (options) => createKafkaBus({ ...options, brokers, clientId: 'test', replication: 1 }),
    child: {},
    readTopic: async () => [],
    appendRaw: async () => {},
    async close() {
      await database.close();
      await broker.stop();
      await postgres.stop();
    },
  };
}
