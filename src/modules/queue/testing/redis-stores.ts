import { createRedis } from '#platform/redis/client.ts';
import type { Redis } from '#platform/redis/port.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { type RedisEngine, startRedis } from '#test/kit/engines/redis.ts';
import { type RedisClusterEngine, startRedisCluster } from '#test/kit/engines/redis-cluster.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import type { StoreUnderTest } from '../storage/conformance.ts';
import { createRedisStore } from '../storage/redis-store.ts';

const commandTimeoutMs = 10_000;
/** These tests empty their servers themselves; what is on disk would only slow them down. */
const inMemory = ['--appendonly', 'no'];

export interface RedisUnderTest extends StoreUnderTest {
  readonly redis: Redis;
  readonly engine: RedisEngine;
  /** One more client of the same server, as another process has it. */
  connect(): Redis;
}

export const redisStores = {
  async create(): Promise<RedisUnderTest> {
    const engine = await startRedis({ dir: await aFolder('queue-redis'), args: inMemory });
    const clients: Redis[] = [];
    const connect = () => {
      const client = createRedis({ url: engine.url, commandTimeoutMs, logger: silentLogger });
      clients.push(client);
      return client;
    };
    const redis = connect();
    return {
      redis,
      engine,
      connect,
      store: createRedisStore({ redis }),
      wipe: async () => void (await redis.command('FLUSHALL')),
      async close() {
        for (const client of clients) await client.close();
        await engine.stop();
      },
    };
  },
};

export interface RedisClusterUnderTest extends StoreUnderTest {
  readonly redis: Redis;
  readonly engine: RedisClusterEngine;
  /** One more client, as another process has it. */
  connect(limitMs?: number): Redis;
}

export const redisClusterStores = {
  async create({ replicas = false } = {}): Promise<RedisClusterUnderTest> {
    const engine = await startRedisCluster({ dir: await aFolder('queue-redis-cluster'), replicas });
    const clients: Redis[] = [];
    const connect = (limitMs = commandTimeoutMs) => {
      const clusterNodes = engine.addresses.split(',');
      const client = createRedis({ clusterNodes, commandTimeoutMs: limitMs, logger: silentLogger });
      clients.push(client);
      return client;
    };
    const redis = connect();
    const store = createRedisStore({ redis });
    // FLUSHALL and CONFIG reach the node that they are sent to.
    const nodes = engine.nodes.map(({ url }) => createRedis({ url, commandTimeoutMs, logger: silentLogger }));
    for (const node of nodes) await node.command('CONFIG', 'SET', 'appendonly', 'no');
    return {
      redis,
      engine,
      connect,
      store,
      wipe: async () => void (await Promise.all(nodes.map((node) => node.command('FLUSHALL')))),
      async close() {
        for (const client of [...clients, ...nodes]) await client.close();
        await engine.stop();
      },
    };
  },
};
