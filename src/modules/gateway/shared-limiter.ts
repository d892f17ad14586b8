import type { Clock } from '#platform/clock.ts';
import type { CircuitBreaker } from '#platform/resilience/circuit-breaker.ts';
import type { RateLimit, RateLimiter, RateVerdict } from './domain/rate-limits.ts';
import { createSweep } from './domain/sweep.ts';
import { judge, noVerdict, refill, type TokenBucket } from './domain/token-bucket.ts';

export interface SharedLimiter extends RateLimiter {
  /** Tells Redis of everything that it has not counted yet. Never throws. */
  settle(): Promise<void>;
}

export interface SharedLimiterOptions {
  readonly limit: RateLimit;
  readonly share: number;
  readonly clock: Clock;
  /** Closed while Redis answers; `ask` reports to it. */
  readonly breaker: Pick<CircuitBreaker, 'allow'>;
  /** Null: Redis did not answer in time. Never rejects. */
  readonly ask: (key: string, tokens: { spent: number; wanted: number }) => Promise<SharedTokens | null>;
  /** For callers who find no room below. */
  readonly exact: RateLimiter;
  readonly accountsMax?: number;
}

/** How many of the wanted tokens were taken, and what is left for all processes. */
export interface SharedTokens {
  readonly granted: number;
  readonly tokens: number;
}

/** What this process knows of one caller: what is left of the limit, and what of its share Redis has not counted. */
interface Account extends TokenBucket {
  uncounted: number;
}

type Waiting = (verdict: RateVerdict) => void;

/** At 600 calls a minute a caller of one call is forgotten after ten seconds or some more: room for 15,000 new callers a second. */
const accountsDefaultMax = 200_000;
/** How many accounts are looked at when a new one comes: idle ones make up a quarter of all, at most. */
const lookedAtPerInsert = 4;
const settleTogether = 64;
const settleMaxMs = 1_000;

/**
 * A limit for all processes that costs no round trip while a caller uses less than a share in the time of one.
 *
 * Each process keeps a token bucket of its own for each caller and takes every call from it, so that no process alone grants more
 * than the limit. Of what it has granted, Redis may not have counted a share at most. When half of that is used, Redis is told in
 * the background and answers what all processes have left; the own bucket is lowered to that. A call that comes when the share is
 * used up waits for that answer. A used share comes back by itself in the time in which an empty bucket becomes full, so that
 * Redis hears nothing of callers who call now and then.
 *
 * All processes together grant no more than one bucket of limit + processes × share would. A caller who meets one process only
 * has the whole limit there (ADR 39).
 */
export function createSharedLimiter(options: SharedLimiterOptions): SharedLimiter {
  const { limit, share, clock, breaker, ask, exact, accountsMax = accountsDefaultMax } = options;
  const accounts = new Map<string, Account>();
  /** By callers of whom Redis is being asked: until when, and who has come since and waits for the next answer. */
  const asked = new Map<string, { readonly answered: Promise<void>; readonly waiting: Waiting[] }>();
  const sweep = createSweep(accounts);
  const verdict = noVerdict();

  function update(account: Account, nowMs: number): void {
    const passedMs = Math.max(0, nowMs - account.atMs);
    account.uncounted = Math.max(0, account.uncounted - (passedMs * share) / limit.refillMs);
    refill(account, limit, nowMs);
  }

  /** Null: there is no room. Nobody who is in use is forgotten, for a forgotten caller has a full bucket here. */
  function open(key: string, nowMs: number): Account | null {
    for (let looked = 0; looked < lookedAtPerInsert; looked++) {
      const next = sweep();
      if (next === undefined) break;
      const [other, account] = next;
      update(account, nowMs);
      const isIdle = account.tokens >= limit.capacity && account.uncounted === 0 && !asked.has(other);
      if (isIdle) accounts.delete(other);
    }
    if (accounts.size >= accountsMax) return null;
    const account = { tokens: limit.capacity, atMs: nowMs, uncounted: 0 };
    accounts.set(key, account);
    return account;
  }

  /** Tells Redis what it has not counted, and asks it for a token for each of the waiting. Never rejects. */
  function tell(key: string, account: Account, waiting: readonly Waiting[]): Promise<void> {
    const spent = account.uncounted;
    const answered = ask(key, { spent, wanted: waiting.length }).then((answer) => {
      const later = asked.get(key)?.waiting ?? [];
      asked.delete(key);
      update(account, clock.monotonicMs());
      // Also when there was no answer: it may have been counted, and nothing is told twice.
      account.uncounted = Math.max(0, account.uncounted - spent);
      // Every waiting one has taken from the own bucket when it came. Without Redis that is all that counts.
      const granted = answer?.granted ?? waiting.length;
      account.tokens += waiting.length - granted;
      if (answer !== null) account.tokens = Math.min(account.tokens, answer.tokens - account.uncounted - later.length);
      const { tokens } = account;
      for (const [n, decide] of waiting.entries()) decide(judge(noVerdict(), limit, { allowed: n < granted, tokens }));
      if (later.length > 0) serve(key, account, later);
    });
    asked.set(key, { answered, waiting: [] });
    return answered;
  }

  function serve(key: string, account: Account, waiting: readonly Waiting[]): void {
    if (breaker.allow()) void tell(key, account, waiting);
    else for (const decide of waiting) decide(judge(noVerdict(), limit, { allowed: true, tokens: account.tokens }));
  }

  /** The share is used up. Null: Redis is away, and the own bucket decides alone. */
  function wait(key: string, account: Account): Promise<RateVerdict> | null {
    const before = asked.get(key);
    if (before !== undefined) return new Promise((decide) => before.waiting.push(decide));
    if (!breaker.allow()) return null;
    return new Promise((decide) => void tell(key, account, [decide]));
  }

  function take(key: string): RateVerdict | Promise<RateVerdict> {
    const nowMs = clock.monotonicMs();
    const account = accounts.get(key) ?? open(key, nowMs);
    if (account === null) return exact.take(key);
    update(account, nowMs);
    if (account.tokens < 1) return judge(verdict, limit, { allowed: false, tokens: account.tokens });
    account.tokens -= 1;
    if (account.uncounted + 1 > share) {
      const later = wait(key, account);
      if (later !== null) return later;
    } else {
      account.uncounted += 1;
      if (account.uncounted * 2 >= share && !asked.has(key) && breaker.allow()) void tell(key, account, []);
    }
    return judge(verdict, limit, { allowed: true, tokens: account.tokens });
  }

  return {
    take,
    giveBack(key) {
      const account = accounts.get(key);
      if (account === undefined) return exact.giveBack(key);
      // What Redis has counted flows in by itself.
      account.uncounted = Math.max(0, account.uncounted - 1);
      account.tokens = Math.min(limit.capacity, account.tokens + 1);
    },
    async settle() {
      const untilMs = clock.monotonicMs() + settleMaxMs;
      const left = accounts.entries();
      const settleOthers = async () => {
        for (const [key, account] of left) {
          await asked.get(key)?.answered;
          update(account, clock.monotonicMs());
          if (account.uncounted === 0) continue;
          if (clock.monotonicMs() > untilMs || !breaker.allow()) return;
          await tell(key, account, []);
        }
      };
      await Promise.all(Array.from({ length: settleTogether }, settleOthers));
    },
  };
}
