import type { Clock } from '#platform/clock.ts';
import type { RateClass } from '#platform/http/contract.ts';
import type { Redis } from '#platform/redis/port.ts';
import { createCircuitBreaker } from '#platform/resilience/circuit-breaker.ts';
import { withTimeout } from '#platform/resilience/timeout.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import { createBuckets } from './domain/buckets.ts';
import { countedInProcess, type RateLimits, type RateVerdict } from './domain/rate-limits.ts';
import { giveTokenBack, takeToken } from './scripts/scripts.generated.ts';

/** One class's limiter. */
export interface RateLimiter {
  /** Synchronous when it counts in this process. */
  take(key: string): RateVerdict | Promise<RateVerdict>;
  /** As if the last one had not been taken. Synchronous when it counts in this process, and never throws. */
  giveBack(key: string): void | Promise<void>;
}

export interface RateLimiterOptions {
  readonly limits: RateLimits;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Null: every class is counted in this process. */
  readonly redis: Redis | null;
}

/** Longer than a round trip ever takes, short enough that nobody notices the one call that finds Redis gone. */
const sharedTimeoutMs = 200;
const openMs = 1_000;

/**
 * Limits protect the house, so their own store must not be able to close it: when Redis does not answer, the same
 * limits are counted in this process, and one call a second looks whether Redis is back.
 */
export function createRateLimiter({
  limits,
  clock,
  logger,
  redis,
}: RateLimiterOptions): (rate: RateClass) => RateLimiter {
  const breaker = createCircuitBreaker({
    failuresToOpen: 1,
    openMs,
    clock,
    onChange(state) {
      if (state === 'open') logger.warn('rate limits are counted in this process: redis does not answer');
      if (state === 'closed') logger.info('rate limits are shared again');
    },
  });
  const limiters = new Map<RateClass, RateLimiter>();

  function createLimiter(rate: RateClass): RateLimiter {
    const limit = limits[rate];
    const buckets = createBuckets(limit);
    const inProcess = (key: string) => buckets.take(key, clock.now());
    if (redis === null || countedInProcess.has(rate)) return { take: inProcess, giveBack: buckets.giveBack };
    const bucketOf = (key: string) => ({ bucket: `urr:rate:${rate}:${key}` });
    const inTime = <Answer>(answer: Promise<Answer>) =>
      withTimeout(answer, sharedTimeoutMs, () => new Error('rate limit: redis is slow'));
    const take = (key: string) => {
      if (!breaker.allow()) return inProcess(key);
      return inTime(takeToken(redis, bucketOf(key), limit)).then(
        (verdict) => {
          breaker.succeeded();
          return verdict;
        },
        () => {
          breaker.failed();
          // A copy: when many calls fail at once, the buckets' one verdict is another caller's before this one is read.
          return { ...inProcess(key) };
        },
      );
    };
    const giveBack = (key: string) => {
      if (!breaker.allow()) return buckets.giveBack(key);
      return inTime(giveTokenBack(redis, bucketOf(key), limit)).then(
        () => breaker.succeeded(),
        // What is not given back flows in by itself.
        () => breaker.failed(),
      );
    };
    return { take, giveBack };
  }

  return (rate) => {
    const known = limiters.get(rate) ?? createLimiter(rate);
    limiters.set(rate, known);
    return known;
  };
}

/**
 * One call that two budgets must allow. The caller's is asked first: one user who asks too often takes nothing from the
 * others behind the same address. What the caller has paid comes back when the address refuses.
 */
export function takeBoth(
  { take, giveBack }: RateLimiter,
  { caller, address }: { caller: string; address: string },
): RateVerdict | Promise<RateVerdict> {
  const own = take(caller);
  return own instanceof Promise ? own.then(withAddress) : withAddress(own);

  function withAddress(ofCaller: RateVerdict): RateVerdict | Promise<RateVerdict> {
    if (!ofCaller.allowed) return ofCaller;
    // A copy: buckets in the process have one verdict for all.
    const first = { ...ofCaller };
    const second = take(address);
    return second instanceof Promise ? second.then((ofAddress) => settle(first, ofAddress)) : settle(first, second);
  }

  function settle(ofCaller: RateVerdict, ofAddress: RateVerdict): RateVerdict | Promise<RateVerdict> {
    if (ofAddress.allowed) return ofAddress.remaining <= ofCaller.remaining ? ofAddress : ofCaller;
    const refused = { ...ofAddress };
    const given = giveBack(caller);
    return given instanceof Promise ? given.then(() => refused) : refused;
  }
}
