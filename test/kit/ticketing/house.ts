import { join } from 'node:path';
import type { Database } from '#platform/postgres/database.ts';
import { findEmbeddedPostgres } from '#platform/postgres/embedded/start.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { atEnd } from '../at-end.ts';
import { aDatabase } from '../engines/database.ts';
import type { Engine } from '../engines/engine.ts';
import { startKafka } from '../engines/kafka.ts';
import { startRedis } from '../engines/redis.ts';
import { aFolder } from '../engines/scratch.ts';
import { startUrrProcess, type UrrProcess } from '../processes.ts';

/** A place where urr runs: one process or more, and the database behind them. */
export interface SaleHouse {
  readonly processes: UrrProcess[];
  /** One more. */
  start(): Promise<UrrProcess>;
  /** Of the database, wherever it is now. */
  databaseUrl(): Promise<string>;
}

const limits = {
  URR_RATE_POLL_PER_MINUTE: '1000000',
  URR_RATE_RESERVE_PER_MINUTE: '1000000',
  URR_RATE_CONFIRM_PER_MINUTE: '1000000',
};

/** One process with everything inside. */
export async function anEmbeddedHouse(): Promise<SaleHouse> {
  const home = await aFolder('sale-home');
  const start = () => startUrrProcess({ env: { ...limits, URR_DATA_DIR: home } });
  async function databaseUrl(): Promise<string> {
    const found = await findEmbeddedPostgres(join(home, 'postgres'));
    if (found === null) throw new Error('the embedded PostgreSQL does not run');
    return found.url;
  }
  return { processes: [await start()], start, databaseUrl };
}

/** Two processes on PostgreSQL, Redis and Kafka. */
export async function aHouseOfTwo(): Promise<SaleHouse> {
  const [redis, kafka, { url }] = await Promise.all([
    aFolder('sale-redis').then((dir) => stoppedAtEnd(startRedis({ dir }))),
    aFolder('sale-kafka').then((dir) => stoppedAtEnd(startKafka({ dir }))),
    aDatabase(),
  ]);
  const engines = { URR_DATABASE_URL: url, URR_REDIS_URL: redis.url, URR_KAFKA_BROKERS: kafka.brokers };
  const start = () => startUrrProcess({ env: { ...limits, ...engines } });
  return { processes: [await start(), await start()], start, databaseUrl: async () => url };
}

async function stoppedAtEnd<E extends Engine>(starting: Promise<E>): Promise<E> {
  const engine = await starting;
  atEnd(() => engine.stop());
  return engine;
}

/** One address after the other, of the processes that are there; while there is none, the last that was. */
export function rotation({ processes }: Pick<SaleHouse, 'processes'>): () => string {
  let turn = 0;
  let last = '';
  return () => {
    last = processes[turn++ % Math.max(1, processes.length)]?.url ?? last;
    return last;
  };
}

const pools = new Map<string, Database>();

/** Through one pool for each address that the database has had. */
export async function withDatabase<T>(house: SaleHouse, work: (database: Database) => Promise<T>): Promise<T> {
  const url = await house.databaseUrl();
  let database = pools.get(url);
  if (database === undefined) {
    const opened = createDatabase({ url, poolMax: 4 });
    atEnd(() => opened.close());
    pools.set(url, opened);
    database = opened;
  }
  return work(database);
}
