import { createEmbeddedBus } from '#platform/bus/embedded/embedded-bus.ts';
import { createKafkaBus } from '#platform/bus/kafka/kafka-bus.ts';
import type { BusEngine } from '#platform/bus/port.ts';
import { systemClock } from '#platform/clock.ts';
import { createIds } from '#platform/ids.ts';
import type { Database } from '#platform/postgres/database.ts';
import { migrate, platformMigrations } from '#platform/postgres/migrate.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { systemRandom } from '#platform/random.ts';
import { atEnd } from '#test/kit/at-end.ts';
import type { Engine } from '#test/kit/engines/engine.ts';
import { startKafka } from '#test/kit/engines/kafka.ts';
import { startPostgres } from '#test/kit/engines/postgres.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { type BrokerDesk, createBrokerDesk } from './broker.ts';
import { makeTables, partitionsBefore, type Topics } from './cast.ts';
import { type Children, createChildren } from './children.ts';
import type { AdapterName } from './plan.ts';

/** Engines, processes and tables of one chaos run. */
export interface World {
  readonly adapter: AdapterName;
  readonly database: Database;
  readonly postgres: Engine;
  /** Null where the broker is PostgreSQL itself. */
  readonly kafka: { readonly engine: Engine; readonly desk: BrokerDesk } | null;
  readonly children: Children;
  /** The bus as a tool uses it: it publishes and looks, and neither relays nor consumes. */
  openTool(topics: Topics): Promise<BusEngine>;
}

export async function makeWorld(adapter: AdapterName): Promise<World> {
  const postgres = await startPostgres({ dir: await aFolder(`chaos-postgres-${adapter}`) });
  atEnd(() => postgres.stop());
  const kafka = adapter === 'kafka' ? await startKafka({ dir: await aFolder('chaos-kafka') }) : null;
  if (kafka !== null) atEnd(() => kafka.stop());
  const database = createDatabase({ url: postgres.url, poolMax: 12 });
  atEnd(() => database.close());
  await migrate(database, [platformMigrations]);
  await makeTables(database);
  const brokers = kafka?.brokers ?? '';
  const children = createChildren({
    dir: process.env.URR_TEST_CHAOS_LOGS ?? (await aFolder(`chaos-logs-${adapter}`)),
    env: { CHAOS_DATABASE_URL: postgres.url, CHAOS_BROKERS: brokers },
    partitions: partitionsBefore,
  });
  atEnd(() => children.killAll());
  return {
    adapter,
    database,
    postgres,
    kafka: kafka === null ? null : { engine: kafka, desk: createBrokerDesk(brokers) },
    children,
    async openTool(topics) {
      const options = {
        database,
        topics: Object.values(topics),
        clock: systemClock,
        ids: createIds({ clock: systemClock, random: systemRandom }),
        relay: false,
      };
      const bus =
        kafka === null
          ? createEmbeddedBus(options)
          : createKafkaBus({ ...options, brokers: [brokers], clientId: 'chaos-tool', replication: 1 });
      atEnd(() => bus.stop());
      await bus.start();
      return bus;
    },
  };
}
