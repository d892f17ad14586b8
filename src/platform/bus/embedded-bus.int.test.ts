import { migrate, platformMigrations } from '#platform/postgres/migrate.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { startPostgres } from '#test/kit/engines/postgres.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { connectTimeoutMs } from './conformance/harness.ts';
import { describeBus } from './conformance.ts';
import { createEmbeddedBus } from './embedded/embedded-bus.ts';
import { readLog } from './embedded/embedded-log.ts';

const parts = { faultMode: 'batch', brokerGoes: ['stop', 'kill'] } as const;

describeBus('the embedded bus', parts, async () => {
  const postgres = await startPostgres({ dir: await aFolder('embedded-bus') });
  const database = createDatabase({ url: postgres.url, poolMax: 20, connectTimeoutMs });
  await migrate(database, [platformMigrations]);
  return {
    database,
    postgres,
    broker: postgres,
    createBus: createEmbeddedBus,
    child: { URR_DATABASE_URL: postgres.url, URR_KAFKA_BROKERS: '' },
    async readTopic(topic) {
      const parts = await Promise.all(
        [0, 1, 2].map((partition) =>
          readLog(database, { topic, partition, offset: 0 }, { rowsMax: 1_000, bytesMax: 100_000_000 }),
        ),
      );
      return parts.flat();
    },
    async appendRaw({ topic, partition, key, value }) {
      await database.query(
        `INSERT INTO urr.outbox (topic, partition, key, event_id, type, envelope) VALUES ($1, $2, $3, gen_random_uuid(), 'raw', $4)`,
        [topic, partition, key, value],
      );
    },
    async close() {
      await database.close();
      await postgres.stop();
    },
  };
});
