import type { RateClass } from '#platform/http/contract.ts';

/** A bucket holds `capacity` tokens, and an empty one is full again after `refillMs`. */
export interface RateLimit {
  readonly capacity: number;
  readonly refillMs: number;
}

export type RateLimits = Readonly<Record<RateClass, RateLimit>>;

/** Frequent and cheap: a round trip to Redis for each would cost more than what it guards. */
export const countedInProcess: ReadonlySet<RateClass> = new Set(['read', 'poll']);

/** Here the caller's token says nothing about what the call is for: each account would buy as many guesses again. */
export const countedByAddress: ReadonlySet<RateClass> = new Set(['login', 'assign']);

export interface RateVerdict {
  allowed: boolean;
  remaining: number;
  /** Until the next token, when refused. */
  waitMs: number;
  fullInMs: number;
}
