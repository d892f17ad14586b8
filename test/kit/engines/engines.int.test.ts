import { Admin } from '@platformatic/kafka';
import { Cluster } from 'ioredis';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { eventually, whilePaused, whileStopped } from '../faults.ts';
import { aDatabase } from './database.ts';
import type { Engine } from './engine.ts';
import { startKafka } from './kafka.ts';
import { describeWith } from './needs.ts';
import { startPostgres } from './postgres.ts';
import { ask, startRedis } from './redis.ts';
import { startRedisCluster } from './redis-cluster.ts';
import { aFolder } from './scratch.ts';
import { sharedEngine } from './shared.ts';

const started: Engine[] = [];
afterAll(() => Promise.all(started.map((engine) => engine.stop())));

const answersWithinMs = 1_500;
const recoversWithinMs = 120_000;
/** What an attempt may take on a busy machine. */
const attemptMs = 10_000;

describeWith('redis', 'a Redis of the test kit', () => {
  test('comes back with its data after each kind of fault', async () => {
    const redis = keep(await startRedis({ dir: await aFolder('redis') }));
    await ask(redis.port, 'SET', 'kept', '42');
    await expectToSurvive(redis, async () => expect(await ask(redis.port, 'GET', 'kept')).toBe('42'));
  });

  test('can be three nodes that share the keys', async () => {
    const cluster = keep(await startRedisCluster({ dir: await aFolder('cluster') }));
    const read = async () => {
      const client = connect(cluster.addresses);
      try {
        return await Promise.all(['a', 'b', 'c', 'd'].map((key) => client.get(key)));
      } finally {
        client.disconnect();
      }
    };
    const writer = connect(cluster.addresses);
    for (const key of ['a', 'b', 'c', 'd']) await writer.set(key, key);
    writer.disconnect();
    await expectToSurvive(cluster, async () => expect(await read()).toEqual(['a', 'b', 'c', 'd']));
  });
});

describeWith('kafka', 'a Kafka of the test kit', () => {
  test('comes back with its topics after each kind of fault', async () => {
    const kafka = keep(await startKafka({ dir: await aFolder('kafka') }));
    const withAdmin = async <T>(act: (admin: Admin) => Promise<T>) => {
      const admin = new Admin({ clientId: 'kit', bootstrapBrokers: [kafka.brokers], retries: 0, timeout: attemptMs });
      try {
        return await act(admin);
      } finally {
        await admin.close().catch(() => {});
      }
    };
    await withAdmin((admin) => admin.createTopics({ topics: ['kept'], partitions: 3, replicas: 1 }));
    await expectToSurvive(kafka, async () => expect(await withAdmin((admin) => admin.listTopics())).toContain('kept'));
  });
});

test('a PostgreSQL of the test kit comes back with its data after each kind of fault', async () => {
  const postgres = keep(await startPostgres({ dir: await aFolder('postgres') }));
  await query(postgres.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
  await expectToSurvive(postgres, async () =>
    expect(await query(postgres.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]),
  );
});

test('the shared engines are the same for everybody who asks', async () => {
  expect(await sharedEngine('postgres')).toEqual(await sharedEngine('postgres'));
});

const { url } = await aDatabase();
test('a test file has a migrated database of its own', async () => {
  expect(await query(url, 'SELECT schema FROM urr.migrations LIMIT 1')).toHaveLength(1);
  const other = await sharedEngine('postgres');
  await query(url, 'CREATE TABLE only_here ()');
  expect(await query(other.url, `SELECT to_regclass('only_here') AS found`)).toEqual([{ found: null }]);
});

function keep<E extends Engine>(engine: E): E {
  started.push(engine);
  return engine;
}

/** `check` passes while the engine is well. Address and data must outlive everything that is done to it. */
async function expectToSurvive(engine: Engine, check: () => Promise<void>): Promise<void> {
  const recovered = () => eventually(check, { withinMs: recoversWithinMs, what: 'the engine to be well again' });
  await recovered();
  await whileStopped(engine, () => expect(bounded(check)).rejects.toThrow());
  await recovered();
  await whilePaused(engine, () => expect(bounded(check)).rejects.toThrow());
  await recovered();
  await engine.kill();
  await expect(bounded(check)).rejects.toThrow();
  await engine.restart();
  await recovered();
}

function bounded(check: () => Promise<void>): Promise<void> {
  return eventually(check, { withinMs: answersWithinMs, what: 'an answer' });
}

function connect(addresses: string): Cluster {
  const nodes = addresses.split(',').map((address) => {
    const [host = '', port] = address.split(':');
    return { host, port: Number(port) };
  });
  const client = new Cluster(nodes, { clusterRetryStrategy: () => null, slotsRefreshTimeout: attemptMs });
  client.on('error', () => {});
  return client;
}

async function query(address: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({
    connectionString: address,
    connectionTimeoutMillis: attemptMs,
    query_timeout: attemptMs,
  });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}
