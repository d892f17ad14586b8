import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRedis } from '#platform/redis/client.ts';
import type { Redis } from '#platform/redis/port.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { aClock } from '#test/kit/clock.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { sharedEngine } from '#test/kit/engines/shared.ts';
import { shareOf } from './domain/rate-limits.ts';
import { takeTokens } from './scripts/scripts.generated.ts';
import { createSharedLimiter, type SharedLimiter } from './shared-limiter.ts';

/** So slow that nothing flows in while a test runs, on however busy a machine. */
const refillMs = 1_000 * 3_600_000;
/** Finding the shortest steps that fail takes many more runs. */
const timeout = 300_000;

describeWith('redis', 'a limit counted in shares by several processes with one Redis', () => {
  const clients: Redis[] = [];
  beforeAll(async () => {
    const { url } = await sharedEngine('redis');
    for (let n = 0; n < 4; n++) clients.push(createRedis({ url, commandTimeoutMs: 30_000, logger: silentLogger }));
  });
  afterAll(() => Promise.all(clients.map((client) => client.close())));

  /** As many processes of one caller, each with a connection of its own. */
  function processesOf(count: number, capacity: number) {
    const limit = { capacity, refillMs };
    const bucket = `urr:rate:test:${randomUUID()}`;
    const share = shareOf('write', limit);
    const limiters = clients.slice(0, count).map((redis) =>
      createSharedLimiter({
        ...{ limit, share, clock: aClock(), breaker: { allow: () => true } },
        ask: (_key, tokens) => takeTokens(redis, { bucket }, { ...limit, ...tokens }),
        exact: { take: never, giveBack: never },
      }),
    );
    const left = async () =>
      (await takeTokens(clients[0] as Redis, { bucket }, { ...limit, spent: 0, wanted: 0 })).tokens;
    return { limiters, share, left };
  }
  const never = () => {
    throw new Error('there is room for one caller');
  };
  const granted = async (limiter: SharedLimiter, calls: number) => {
    const take = () => {
      const verdict = limiter.take('ann');
      return verdict instanceof Promise ? verdict.then(({ allowed }) => allowed) : verdict.allowed;
    };
    return (await Promise.all(Array.from({ length: calls }, take))).filter(Boolean).length;
  };

  it('grants no more than limit + processes × share, one process no more than the limit, and nobody less', {
    timeout,
  }, async () => {
    const step = fc.record({ process: fc.nat(3), calls: fc.nat(40), waits: fc.boolean() });
    const plan = fc.record({
      capacity: fc.integer({ min: 100, max: 700 }),
      count: fc.integer({ min: 1, max: 4 }),
      steps: fc.array(step, { maxLength: 40 }),
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ capacity, count, steps }) => {
        const { limiters, share, left } = processesOf(count, capacity);
        const rounds: Promise<number>[] = [];
        for (const { process, calls, waits } of steps) {
          const round = granted(limiters[process % count] as SharedLimiter, calls);
          rounds.push(round);
          if (waits) await round;
        }
        // Then everybody asks until nothing is left.
        rounds.push(...limiters.map((limiter) => granted(limiter, capacity + 1)));
        const total = (await Promise.all(rounds)).reduce((sum, each) => sum + each, 0);
        expect(total).toBeGreaterThanOrEqual(capacity);
        expect(total).toBeLessThanOrEqual(count === 1 ? capacity : capacity + count * share);
        // What was granted is what Redis has counted, once all have settled.
        await Promise.all(limiters.map((limiter) => limiter.settle()));
        expect(await left()).toBeCloseTo(capacity - total, 3);
      }),
      { numRuns: 60 },
    );
  });

  it('gives a caller who only meets one process of several the whole limit', async () => {
    const { limiters, left } = processesOf(4, 600);
    const [first] = limiters as [SharedLimiter];
    expect(await granted(first, 1_000)).toBe(600);
    await first.settle();
    expect(await left()).toBeCloseTo(0, 3);
  });
});
