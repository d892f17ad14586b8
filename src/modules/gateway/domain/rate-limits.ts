import type { RateClass } from '#platform/http/contract.ts';

/** A bucket holds `capacity` tokens, and an empty one is full again after `refillMs`. */
export interface RateLimit {
  readonly capacity: number;
  readonly refillMs: number;
}

export type RateLimits = Readonly<Record<RateClass, RateLimit>>;

/** Frequent and cheap: a round trip to Redis for each would cost more than what it guards. */
export const countedInProcess: ReadonlySet<RateClass> = new Set(['read', 'poll', 'watch', 'assign', 'webhook']);

/** Here the caller's token says nothing about what the call is for: each account would buy as many guesses again. */
export const countedByAddress: ReadonlySet<RateClass> = new Set(['login', 'assign', 'webhook']);

const sharesPerLimit = 100;

/**
 * How many calls of one caller a process may grant before Redis has counted them: a hundredth of the limit. 0: Redis is asked
 * for each call. That is so for small limits, where a single call more matters, and where guesses are counted.
 */
export function shareOf(rate: RateClass, { capacity }: RateLimit): number {
  return countedByAddress.has(rate) ? 0 : Math.floor(capacity / sharesPerLimit);
}

export interface RateVerdict {
  allowed: boolean;
  remaining: number;
  /** Until the next token, when refused. */
  waitMs: number;
  fullInMs: number;
}

/** One class's limiter. */
export interface RateLimiter {
  /** Synchronous when this process can decide by itself; the verdict is then valid until the next call. */
  take(key: string): RateVerdict | Promise<RateVerdict>;
  /** As if the last one had not been taken. Never throws. */
  giveBack(key: string): void | Promise<void>;
}
