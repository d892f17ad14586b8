import type { Clock } from '#platform/clock.ts';
import type { RateClass } from '#platform/http/contract.ts';
import type { Redis } from '#platform/redis/port.ts';
import { createCircuitBreaker } from '#platform/resilience/circuit-breaker.ts';
import { withTimeout } from '#platform/resilience/timeout.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import { createBuckets } from './domain/buckets.ts';
import {
  countedInProcess,
  type RateLimiter,
  type RateLimits,
  type RateVerdict,
  shareOf,
} from './domain/rate-limits.ts';
import { judge, noVerdict } from './domain/token-bucket.ts';
import { giveTokenBack, takeTokens } from './scripts/scripts.generated.ts';
import { createSharedLimiter, type SharedLimiter } from './shared-limiter.ts';

export interface RateLimiters {
  of(rate: RateClass): RateLimiter;
  /** When the process stops: tells Redis what this process has granted and Redis has not counted. Never throws. */
  settle(): Promise<void>;
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
 * Limits protect the program, so their own store must not be able to stop it: when Redis does not answer, the same
 * limits are counted in this process, and one call a second looks whether Redis is back.
 */
export function createRateLimiters({ limits, clock, logger, redis }: RateLimiterOptions): RateLimiters {
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
  const shared: SharedLimiter[] = [];

  /** Null: no answer in time. */
  async function inTime<Answer>(call: Promise<Answer>): Promise<Answer | null> {
    try {
      const answer = await withTimeout(call, sharedTimeoutMs, () => new Error('rate limit: redis is slow'));
      breaker.succeeded();
      return answer;
    } catch {
      breaker.failed();
      return null;
    }
  }

  function createLimiter(rate: RateClass): RateLimiter {
    const limit = limits[rate];
    const buckets = createBuckets(limit);
    const inProcess = (key: string) => buckets.take(key, clock.monotonicMs());
    if (redis === null || countedInProcess.has(rate)) return { take: inProcess, giveBack: buckets.giveBack };

    const bucketOf = (key: string) => ({ bucket: `urr:rate:${rate}:${key}` });
    const ask = (key: string, tokens: { spent: number; wanted: number }) =>
      inTime(takeTokens(redis, bucketOf(key), { ...limit, ...tokens }));
    const exact: RateLimiter = {
      take(key) {
        if (!breaker.allow()) return inProcess(key);
        return ask(key, { spent: 0, wanted: 1 }).then((answer) => {
          // A copy: when many calls fail at once, the buckets' one verdict is another caller's before this one is read.
          if (answer === null) return { ...inProcess(key) };
          return judge(noVerdict(), limit, { allowed: answer.granted === 1, tokens: answer.tokens });
        });
      },
      async giveBack(key) {
        if (!breaker.allow()) return buckets.giveBack(key);
        // What is not given back flows in by itself.
        await inTime(giveTokenBack(redis, bucketOf(key), limit));
      },
    };
    const share = shareOf(rate, limit);
    if (share === 0) return exact;
    const limiter = createSharedLimiter({ limit, share, clock, breaker, ask, exact });
    shared.push(limiter);
    return limiter;
  }

  return {
    of(rate) {
      const known = limiters.get(rate) ?? createLimiter(rate);
      limiters.set(rate, known);
      return known;
    },
    async settle() {
      await Promise.all(shared.map((limiter) => limiter.settle()));
    },
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
