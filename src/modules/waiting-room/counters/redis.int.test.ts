import { expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { createIds } from '#platform/ids.ts';
import { systemRandom } from '#platform/random.ts';
import { createRedis } from '#platform/redis/client.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { startRedis } from '#test/kit/engines/redis.ts';
import { startRedisCluster } from '#test/kit/engines/redis-cluster.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { eventually } from '#test/kit/faults.ts';
import { describeCounters } from './conformance.ts';
import { createRedisCounters } from './redis.ts';

const commandTimeoutMs = 60_000;
const logger = silentLogger;
const begin = { epoch: 1, first: 0, bound: 1_000, lineOffset: 0, serving: 0 };
const ids = createIds({ clock: systemClock, random: systemRandom });

describeWith('redis', 'counters in Redis', () => {
  describeCounters('standalone', {
    async create() {
      const engine = await startRedis({ dir: await aFolder('counters-redis'), args: ['--appendonly', 'no'] });
      const redis = createRedis({ url: engine.url, commandTimeoutMs, logger });
      return {
        counters: createRedisCounters({ redis }),
        wipe: async () => void (await redis.command('FLUSHALL')),
        async close() {
          await redis.close();
          await engine.stop();
        },
      };
    },
  });

  describeCounters('on a Cluster of three', {
    async create() {
      const engine = await startRedisCluster({ dir: await aFolder('counters-cluster') });
      const redis = createRedis({ clusterNodes: engine.addresses.split(','), commandTimeoutMs, logger });
      const nodes = engine.nodes.map(({ url }) => createRedis({ url, commandTimeoutMs, logger }));
      return {
        counters: createRedisCounters({ redis }),
        wipe: async () => void (await Promise.all(nodes.map((node) => node.command('FLUSHALL')))),
        async close() {
          for (const client of [redis, ...nodes]) await client.close();
          await engine.stop();
        },
      };
    },
  });

  test('a server that was restarted has lost them, though its disk has kept some', async () => {
    const engine = await startRedis({ dir: await aFolder('counters-restart'), args: ['--appendonly', 'yes'] });
    atEnd(() => engine.stop());
    const redis = createRedis({ url: engine.url, commandTimeoutMs, logger });
    atEnd(() => redis.close());
    const counters = createRedisCounters({ redis });
    const eventId = ids.next();
    await counters.begin({ eventId, ...begin });
    await counters.assign({ eventId, epoch: 1, count: 5 });
    await redis.command('SET', 'kept', 'yes');
    await engine.stop();
    await engine.restart();
    await eventually(async () => (await redis.command('GET', 'kept')) === 'yes', {
      withinMs: 60_000,
      what: 'the disk to be read',
    });
    expect(await counters.assign({ eventId, epoch: 1, count: 1 })).toEqual({ status: 'lost' });
    expect(await counters.read({ eventId, epoch: 1 })).toEqual({ status: 'lost' });
    // A later epoch goes on there.
    await counters.begin({ eventId, ...begin, epoch: 2, first: 1_000, bound: 2_000 });
    expect(await counters.assign({ eventId, epoch: 2, count: 1 })).toMatchObject({ status: 'ok', first: 1_001 });
  });

  test('a replica that takes over, however stale, gives no number of the epoch that it copied', async () => {
    const [first, second] = await Promise.all(
      ['counters-primary', 'counters-replica'].map(async (name) => {
        const engine = await startRedis({ dir: await aFolder(name), args: ['--appendonly', 'no'] });
        atEnd(() => engine.stop());
        const redis = createRedis({ url: engine.url, commandTimeoutMs, logger });
        atEnd(() => redis.close());
        return { engine, redis, counters: createRedisCounters({ redis }) };
      }),
    );
    if (first === undefined || second === undefined) throw new Error('two servers were started');
    const eventId = ids.next();
    await first.counters.begin({ eventId, ...begin });
    await first.counters.assign({ eventId, epoch: 1, count: 5 });
    const { hostname, port } = new URL(first.engine.url);
    await second.redis.command('REPLICAOF', hostname, port);
    const copied = async () => (await second.redis.command('HGET', `{${eventId}}:waiting-room`, 'given')) === '5';
    await eventually(copied, { withinMs: 60_000, what: 'the copy' });
    await second.redis.command('REPLICAOF', 'NO', 'ONE');
    // The one that was left behind goes on for those who are still connected to it.
    expect(await first.counters.assign({ eventId, epoch: 1, count: 2 })).toMatchObject({ status: 'ok', first: 6 });
    expect(await second.counters.assign({ eventId, epoch: 1, count: 1 })).toEqual({ status: 'lost' });
    expect(await second.counters.read({ eventId, epoch: 1 })).toEqual({ status: 'lost' });
  });
});
