import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aClock, type FakeClock } from '#test/kit/clock.ts';
import type { RateLimit, RateVerdict } from './domain/rate-limits.ts';
import { refill } from './domain/token-bucket.ts';
import { createSharedLimiter, type SharedLimiter, type SharedTokens } from './shared-limiter.ts';

const limit: RateLimit = { capacity: 600, refillMs: 60_000 };
const share = 6;

/** Counts as `take-tokens.lua` does, for one caller. */
function aSharedBucket(clock: FakeClock) {
  const bucket = { tokens: limit.capacity, atMs: clock.now() };
  let isAway = false;
  const asks: { spent: number; wanted: number }[] = [];
  const store = {
    asks,
    bucket,
    goAway: () => (isAway = true),
    comeBack: () => (isAway = false),
    async ask(_key: string, call: { spent: number; wanted: number }): Promise<SharedTokens | null> {
      asks.push(call);
      // On its way.
      await null;
      if (isAway) return null;
      refill(bucket, limit, clock.now());
      const granted = Math.min(call.wanted, Math.max(0, Math.floor(bucket.tokens - call.spent)));
      bucket.tokens -= call.spent + granted;
      return { granted, tokens: bucket.tokens };
    },
    aProcess: (options: { accountsMax?: number; isRedisThere?: () => boolean } = {}): SharedLimiter =>
      createSharedLimiter({
        ...{ limit, share, clock, ask: store.ask },
        breaker: { allow: options.isRedisThere ?? (() => true) },
        exact: { take: () => exactVerdict, giveBack: () => {} },
        ...(options.accountsMax !== undefined && { accountsMax: options.accountsMax }),
      }),
  };
  return store;
}

const exactVerdict: RateVerdict = { allowed: true, remaining: 42, waitMs: 0, fullInMs: 0 };

async function takeMany(limiter: SharedLimiter, count: number, key = 'ann'): Promise<RateVerdict[]> {
  const take = () => {
    const verdict = limiter.take(key);
    return verdict instanceof Promise ? verdict : { ...verdict };
  };
  return Promise.all(Array.from({ length: count }, take));
}
const allowedOf = (verdicts: readonly RateVerdict[]) => verdicts.filter(({ allowed }) => allowed).length;

describe('a limit counted in shares', () => {
  it('costs Redis nothing for callers who call now and then', () => {
    const clock = aClock();
    const store = aSharedBucket(clock);
    const limiter = store.aProcess();
    for (let user = 0; user < 100; user++) {
      expect(limiter.take(`user ${user}`)).toMatchObject({ allowed: true, remaining: 599, fullInMs: 100 });
      expect(limiter.take(`user ${user}`)).toMatchObject({ allowed: true, remaining: 598, fullInMs: 200 });
    }
    expect(store.asks).toEqual([]);
  });

  it('is told when half of the share is used, and nobody waits for it', async () => {
    const store = aSharedBucket(aClock());
    const limiter = store.aProcess();
    for (let n = 0; n < 6; n++) expect(limiter.take('ann')).toMatchObject({ allowed: true, remaining: 599 - n });
    expect(store.asks).toEqual([{ spent: 3, wanted: 0 }]);
    await limiter.settle();
    expect(store.bucket.tokens).toBe(594);
  });

  it('makes those who come faster wait for one answer together', async () => {
    const store = aSharedBucket(aClock());
    const verdicts = await takeMany(store.aProcess(), 1_000);
    expect(allowedOf(verdicts)).toBe(600);
    expect(store.asks.length).toBeLessThan(10);
    expect(verdicts.at(-1)).toMatchObject({ allowed: false, remaining: 0, waitMs: 100, fullInMs: 60_000 });
  });

  it('is refused without asking Redis once nothing is left, and granted again when a token has flowed in', async () => {
    const clock = aClock();
    const store = aSharedBucket(clock);
    const [one, two] = [store.aProcess(), store.aProcess()];
    await takeMany(one, 700);
    await takeMany(two, 10);
    const asked = store.asks.length;
    expect(await takeMany(two, 50)).toEqual(
      Array(50).fill({ allowed: false, remaining: 0, waitMs: 700, fullInMs: 60_600 }),
    );
    expect(store.asks).toHaveLength(asked);
    clock.advance(700);
    expect(await two.take('ann')).toMatchObject({ allowed: true });
  });

  it('together never grants more than limit + processes × share would, however calls are spread and paced', async () => {
    const step = fc.record({
      process: fc.nat(3),
      calls: fc.oneof(fc.nat(8), fc.nat(300)),
      passMs: fc.oneof(fc.constant(0), fc.nat(500), fc.nat(20_000)),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(step, { maxLength: 100 }),
        async (processCount, steps) => {
          const clock = aClock();
          const store = aSharedBucket(clock);
          const limiters = Array.from({ length: processCount }, () => store.aProcess());
          const startMs = clock.now();
          let granted = 0;
          for (const { process, calls, passMs } of steps) {
            const limiter = limiters[process % processCount] as SharedLimiter;
            granted += allowedOf(await takeMany(limiter, calls));
            const size = limit.capacity + (processCount === 1 ? 0 : processCount * share);
            const full = size * (1 + (clock.now() - startMs) / limit.refillMs);
            expect(granted).toBeLessThanOrEqual(full + 1e-6);
            clock.advance(passMs);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('is not exceeded by a caller who asks every process at the pace at which tokens flow in', async () => {
    const clock = aClock();
    const store = aSharedBucket(clock);
    const limiters = Array.from({ length: 4 }, () => store.aProcess());
    const minutes = 10;
    let granted = 0;
    for (let passed = 0; passed < minutes * 600; passed++) {
      for (const limiter of limiters) granted += allowedOf(await takeMany(limiter, 1));
      clock.advance(100);
    }
    expect(granted).toBeLessThanOrEqual((600 + 4 * share) * (1 + minutes));
    expect(granted).toBeGreaterThanOrEqual(600 * (1 + minutes) - share);
  });

  it('asks Redis for each call of whom it has no room for, and forgets nobody who is in use', () => {
    const clock = aClock();
    const limiter = aSharedBucket(clock).aProcess({ accountsMax: 3 });
    for (const key of ['a', 'b', 'c']) expect(limiter.take(key)).toMatchObject({ remaining: 599 });
    expect(limiter.take('d')).toBe(exactVerdict);
    for (const key of ['a', 'b', 'c']) expect(limiter.take(key)).toMatchObject({ remaining: 598 });
    // Idle for so long that bucket and share are full again.
    clock.advance(60_000);
    expect(limiter.take('d')).toMatchObject({ remaining: 599 });
  });

  it('is counted in the process while Redis is away, and no more than a share of that is told afterwards', async () => {
    const store = aSharedBucket(aClock());
    let isThere = true;
    const limiter = store.aProcess({ isRedisThere: () => isThere });
    store.goAway();
    // The first ones find out; everybody is served.
    expect(allowedOf(await takeMany(limiter, 20))).toBe(20);
    isThere = false;
    expect(allowedOf(await takeMany(limiter, 1_000))).toBe(580);
    expect(limiter.take('ann')).toMatchObject({ allowed: false, remaining: 0, waitMs: 100 });
    store.comeBack();
    isThere = true;
    await limiter.settle();
    expect(store.bucket.tokens).toBeGreaterThanOrEqual(600 - share);
    expect(limiter.take('ann')).toMatchObject({ allowed: false });
  });

  it('has what was given back', () => {
    const limiter = aSharedBucket(aClock()).aProcess();
    limiter.take('ann');
    limiter.giveBack('ann');
    expect(limiter.take('ann')).toMatchObject({ remaining: 599 });
  });
});
