import type { RateLimit, RateVerdict } from './rate-limits.ts';

export interface TokenBucket {
  tokens: number;
  atMs: number;
}

export function refill(bucket: TokenBucket, { capacity, refillMs }: RateLimit, nowMs: number): void {
  // Two looks at the clock may come in the other order.
  const passedMs = Math.max(0, nowMs - bucket.atMs);
  bucket.tokens = Math.min(capacity, bucket.tokens + (passedMs * capacity) / refillMs);
  bucket.atMs = nowMs;
}

/** What to tell a caller whose bucket holds so much after the call. Below zero: more was granted than there was. */
export function judge(
  verdict: RateVerdict,
  { capacity, refillMs }: RateLimit,
  { allowed, tokens }: { allowed: boolean; tokens: number },
): RateVerdict {
  verdict.allowed = allowed;
  verdict.remaining = Math.max(0, Math.floor(tokens));
  verdict.waitMs = allowed ? 0 : Math.ceil(((1 - tokens) * refillMs) / capacity);
  verdict.fullInMs = Math.ceil(((capacity - tokens) * refillMs) / capacity);
  return verdict;
}

export function noVerdict(): RateVerdict {
  return { allowed: false, remaining: 0, waitMs: 0, fullInMs: 0 };
}
