import { join } from 'node:path';
import { describe, test } from 'vitest';
import { findEmbeddedPostgres } from '#platform/postgres/embedded/start.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { startKafka } from '#test/kit/engines/kafka.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { startRedis } from '#test/kit/engines/redis.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { startUrrProcess } from '#test/kit/processes.ts';
import { crowdLimits, sellToACrowd } from '#test/kit/ticketing/crowd.ts';

const users = 2_000;
/** A guard against hanging, for a slow machine that plays all of them and two restarts. */
const hangGuard = { timeout: 900_000 };

describe('a crowd at one embedded process', () => {
  test('each of a thousand seats is sold once or free, though the process is killed twice', hangGuard, async () => {
    const home = await aFolder('crowd-home');
    const start = () => startUrrProcess({ env: { ...crowdLimits, URR_DATA_DIR: home } });
    async function databaseUrl(): Promise<string> {
      const found = await findEmbeddedPostgres(join(home, 'postgres'));
      if (found === null) throw new Error('the embedded PostgreSQL does not run');
      return found.url;
    }
    await sellToACrowd({ processes: [await start()], start, databaseUrl }, { users });
  });
});

describeWith(['redis', 'kafka'], 'a crowd at two processes on PostgreSQL, Redis and Kafka', () => {
  test('each of a thousand seats is sold once or free, though each process is killed once', hangGuard, async () => {
    const redis = await startRedis({ dir: await aFolder('crowd-redis') });
    atEnd(() => redis.stop());
    const kafka = await startKafka({ dir: await aFolder('crowd-kafka') });
    atEnd(() => kafka.stop());
    const { url } = await aDatabase();
    const env = {
      ...crowdLimits,
      URR_DATABASE_URL: url,
      URR_REDIS_URL: redis.url,
      URR_KAFKA_BROKERS: kafka.brokers,
    };
    const start = () => startUrrProcess({ env });
    const processes = [await start(), await start()];
    await sellToACrowd({ processes, start, databaseUrl: async () => url }, { users });
  });
});
