import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createRedis } from '#platform/redis/client.ts';
import type { Redis } from '#platform/redis/port.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { type RedisEngine, startRedis } from '#test/kit/engines/redis.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { sharedEngine } from '#test/kit/engines/shared.ts';
import { eventually, whilePaused } from '#test/kit/faults.ts';
import type { RateLimit } from './domain/rate-limits.ts';
import { takeTokens } from './scripts/scripts.generated.ts';
import { aGateway, amplePerMinute, ratesPerMinute, type TestGateway } from './test/a-gateway.ts';

const recoveryMs = 20_000;
/** Shorter than a token of the smallest budget here takes to flow in. */
const roundMs = 10_000;

const takeOne = (redis: Redis, bucket: string, limit: RateLimit) =>
  takeTokens(redis, { bucket }, { ...limit, spent: 0, wanted: 1 });

describeWith('redis', 'rate limits shared through Redis', () => {
  let engine: RedisEngine;
  let redis: Redis;
  const gateways: TestGateway[] = [];

  beforeAll(async () => {
    engine = await startRedis({ dir: await aFolder('rate-limit') });
  });
  afterAll(() => engine?.stop());
  beforeEach(async () => {
    redis = createRedis({ url: engine.url, commandTimeoutMs: 1_000, logger: silentLogger });
    await redis.command('FLUSHALL');
  });
  afterEach(async () => {
    await Promise.all(gateways.splice(0).map((gateway) => gateway.app.close()));
    await redis.close();
  });

  async function aProcess(counts: Partial<typeof amplePerMinute>, through: Redis = redis): Promise<TestGateway> {
    const gateway = await aGateway({ redis: through, rateLimits: ratesPerMinute({ ...amplePerMinute, ...counts }) });
    gateways.push(gateway);
    return gateway;
  }
  const change = async (gateway: TestGateway) =>
    (await gateway.call({ method: 'POST', url: '/api/change' })).statusCode;
  const read = async (gateway: TestGateway) => (await gateway.call({ url: '/api/open' })).statusCode;

  /** False when Redis was too slow for a call, which is then counted apart, or when the round took so long that tokens flowed in. */
  async function inTime(round: (through: Redis) => Promise<number[]>): Promise<number[] | false> {
    await redis.command('FLUSHALL');
    const startedAt = performance.now();
    let late = 0;
    const noting: Redis = {
      ...redis,
      async runScript(...call) {
        const askedAt = performance.now();
        const answer = await redis.runScript(...call);
        if (performance.now() - askedAt > 100) late += 1;
        return answer;
      },
    };
    const statuses = await round(noting);
    return late === 0 && performance.now() - startedAt < roundMs && statuses;
  }

  /** Twenty at once, on a fresh budget of four. */
  async function callTwoProcesses(through: Redis): Promise<number[]> {
    const [one, two] = [await aProcess({ write: 4 }, through), await aProcess({ write: 4 }, through)];
    return Promise.all(Array.from({ length: 20 }, (_, index) => change(index % 2 === 0 ? one : two)));
  }

  it('are one budget for all processes', async () => {
    const statuses = await eventually(() => inTime(callTwoProcesses), {
      withinMs: 60_000,
      what: 'a round that Redis answers in time',
    });
    expect(statuses.filter((status) => status === 200)).toHaveLength(4);
    expect(statuses.filter((status) => status === 429)).toHaveLength(16);
    const refused = await aProcess({ write: 4 }).then((other) => other.call({ method: 'POST', url: '/api/change' }));
    expect(refused.headers).toMatchObject({ 'ratelimit-limit': '4', 'ratelimit-remaining': '0' });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('leave reads and polls in the process', async () => {
    const gateway = await aProcess({});
    await read(gateway);
    await gateway.call({ url: '/api/watched/e1' });
    expect(await redis.command('KEYS', '*')).toEqual([]);
  });

  it('leave nothing behind: a bucket is gone when it would be full', async () => {
    const { tokens } = await takeOne(redis, 'b', { capacity: 10, refillMs: 600_000 });
    expect(tokens).toBe(9);
    const ttlMs = Number(await redis.command('PTTL', 'b'));
    expect(ttlMs).toBeGreaterThan(0);
    expect(ttlMs).toBeLessThanOrEqual(60_000);
  });

  it('refill with the time of the server', async () => {
    const limit = { capacity: 2, refillMs: 4_000 };
    const take = () => takeOne(redis, 'r', limit);
    await take();
    await take();
    expect(await take()).toMatchObject({ granted: 0 });
    await eventually(async () => (await take()).granted === 1, { withinMs: 30_000, what: 'a token to flow in' });
  });

  it('of sign-ins count user and address, and give back what the other one refused', async () => {
    const round = async (through: Redis) => {
      const gateway = await aProcess({ login: 2 }, through);
      const guess = async (userId: string, remoteAddress: string) => {
        const headers = { authorization: `Bearer ${gateway.token(userId)}` };
        return (await gateway.call({ method: 'POST', url: '/api/sign-in', headers, remoteAddress })).statusCode;
      };
      const statuses: number[] = [];
      for (const userId of ['ann', 'bob', 'cem', 'cem', 'cem']) statuses.push(await guess(userId, '203.0.113.1'));
      for (let times = 0; times < 3; times++) statuses.push(await guess('cem', '203.0.113.2'));
      return statuses;
    };
    const statuses = await eventually(() => inTime(round), {
      withinMs: 60_000,
      what: 'a round that Redis answers in time',
    });
    expect(statuses).toEqual([200, 200, 429, 429, 429, 200, 200, 429]);
  });

  it('ask Redis nothing for a few calls of a large limit, and tell it when the process stops', async () => {
    let asked = 0;
    const counting: Redis = {
      ...redis,
      runScript(...call) {
        asked += 1;
        return redis.runScript(...call);
      },
    };
    // So slow that nothing flows in again meanwhile.
    const rateLimits = { ...ratesPerMinute(amplePerMinute), write: { capacity: 600, refillMs: 36_000_000 } };
    let rounds = 0;
    const round = async () => {
      const gateway = await aGateway({ redis: counting, rateLimits });
      gateways.push(gateway);
      const remoteAddress = `203.0.113.${++rounds}`;
      const before = asked;
      for (const remaining of ['599', '598']) {
        const { statusCode, headers } = await gateway.call({ method: 'POST', url: '/api/change', remoteAddress });
        expect([statusCode, headers['ratelimit-remaining']]).toEqual([200, remaining]);
      }
      expect(asked).toBe(before);
      await gateway.app.close();
      const tokens = await redis.command('HGET', `urr:rate:write:${remoteAddress}`, 'tokens');
      return tokens === '598.000000';
    };
    await eventually(round, { withinMs: recoveryMs, what: 'a stop at which Redis answers in time' });
  });

  it('go on in the process when Redis is killed, without a single 5xx, and are shared again when it is back', async () => {
    const gateway = await aProcess({ write: 3 });
    expect(await change(gateway)).toBe(200);
    await engine.kill();
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++) statuses.push(await change(gateway));
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    await engine.restart();
    await eventually(
      async () => {
        // Past the breaker's pause by the gateway's own clock.
        gateway.clock.ms += 1_100;
        await change(gateway);
        return ((await redis.command('KEYS', 'urr:rate:*')) as string[]).length > 0;
      },
      { withinMs: recoveryMs, what: 'limits to be shared again' },
    );
  });

  it('wait once for a Redis that hangs, not once per request', async () => {
    let asked = 0;
    const counting: Redis = {
      ...redis,
      runScript(...call) {
        asked += 1;
        return redis.runScript(...call);
      },
    };
    const gateway = await aProcess({ write: 100 }, counting);
    await change(gateway);
    expect(asked).toBe(1);
    await whilePaused(engine, async () => {
      for (let i = 0; i < 50; i++) expect(await change(gateway)).toBe(200);
      expect(asked).toBeLessThanOrEqual(2);
    });
  });
});

describeWith('redis', 'rate limits shared through a Redis Cluster', () => {
  it('are counted on whichever node owns the bucket', async () => {
    const { addresses } = await sharedEngine('redis-cluster');
    const redis = createRedis({ clusterNodes: addresses.split(','), commandTimeoutMs: 2_000, logger: silentLogger });
    try {
      for (let i = 0; i < 12; i++) {
        const bucket = `urr:rate:test:${process.pid}:${i}`;
        const limit = { capacity: 1, refillMs: 60_000 };
        expect((await takeOne(redis, bucket, limit)).granted).toBe(1);
        expect((await takeOne(redis, bucket, limit)).granted).toBe(0);
      }
    } finally {
      await redis.close();
    }
  });
});
