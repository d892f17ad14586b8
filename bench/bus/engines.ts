import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmbeddedBus } from '#platform/bus/embedded/embedded-bus.ts';
import { createKafkaBus } from '#platform/bus/kafka/kafka-bus.ts';
import type { BusOptions } from '#platform/bus/options.ts';
import type { BusEngine } from '#platform/bus/port.ts';
import type { Database } from '#platform/postgres/database.ts';
import { migrate, platformMigrations } from '#platform/postgres/migrate.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { startKafka } from '#test/kit/engines/kafka.ts';
import { startPostgres } from '#test/kit/engines/postgres.ts';

export type CreateBus = (options: BusOptions) => BusEngine;

export interface BenchEngines {
  readonly database: Database;
  readonly brokers: readonly string[];
  readonly createBus: { readonly kafka: CreateBus; readonly embedded: CreateBus };
  /** Each run begins with empty tables: else each would be slower than the one before it. */
  clear(): Promise<void>;
  stop(): Promise<void>;
}

/** In memory where there is such a folder: nothing waits for the disk (fsync is off), but a slow one would stop a run for seconds. */
const scratchIn = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

export async function startBenchEngines(): Promise<BenchEngines> {
  const scratch = await mkdtemp(join(scratchIn, 'urr-bench-'));
  process.env.URR_TEST_SCRATCH ??= scratch;
  const postgres = await startPostgres({ dir: await mkdtemp(join(scratch, 'postgres-')) });
  const kafka = await startKafka({ dir: await mkdtemp(join(scratch, 'kafka-')) });
  const database = createDatabase({ url: postgres.url, poolMax: 16, statementTimeoutMs: 60_000 });
  await migrate(database, [platformMigrations]);
  await database.query(
    'CREATE TABLE urr.bench_effects (consumer_group text, key text, count integer, PRIMARY KEY (consumer_group, key))',
  );
  const brokers = [kafka.brokers];
  return {
    database,
    brokers,
    createBus: {
      kafka: (options) => createKafkaBus({ ...options, brokers, clientId: 'bench', replication: 1 }),
      embedded: createEmbeddedBus,
    },
    async clear() {
      await database.query(
        'TRUNCATE urr.outbox, urr.inbox, urr.bus_lanes, urr.bus_log, urr.bus_heads, urr.bus_offsets, urr.bench_effects',
      );
    },
    async stop() {
      await database.close();
      await kafka.stop();
      await postgres.stop();
      await rm(scratch, { recursive: true, force: true });
    },
  };
}
