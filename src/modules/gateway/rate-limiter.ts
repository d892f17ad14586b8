import type { Clock } from '#platform/clock.ts';
import type { RateClass } from '#platform/http/contract.ts';
import type { Redis } from '#platform/redis/port.ts';
import { createCircuitBreaker } from '#platform/resilience/circuit-breaker.ts';
import { withTimeout } from '#platform/resilience/timeout.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import { createBuckets } from './domain/buckets.ts';
import { countedInProcess, type RateLimits, type RateVerdict } from './domain/rate-limits.ts';
import { takeToken } from './scripts/scripts.generated.ts';

/** One class's limiter. Synchronous when it counts in this process. */
export type TakeToken = (key: string) => RateVerdict | Promise<RateVerdict>;

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
}: RateLimiterOptions): (rate: RateClass) => TakeToken {
  const breaker = createCircuitBreaker({
    failuresToOpen: 1,
    openMs,
    clock,
    onChange(state) {
      if (state === 'open') logger.warn('rate limits are counted in this process: redis does not answer');
      if (state === 'closed') logger.info('rate limits are shared again');
    },
  });
  const takers = new Map<RateClass, TakeToken>();

  function createTaker(rate: RateClass): TakeToken {
    const limit = limits[rate];
    const buckets = createBuckets(limit);
    const inProcess = (key: string) => buckets.take(key, clock.now());
    if (redis === null || countedInProcess.has(rate)) return inProcess;
    return (key) => {
      if (!breaker.allow()) return inProcess(key);
      const shared = takeToken(redis, { bucket: `urr:rate:${rate}:${key}` }, limit);
      return withTimeout(shared, sharedTimeoutMs, () => new Error('rate limit: redis is slow')).then(
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
  }

  return (rate) => {
    const known = takers.get(rate) ?? createTaker(rate);
    takers.set(rate, known);
    return known;
  };
}
