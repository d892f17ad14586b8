import type { RateLimit, RateVerdict } from './rate-limits.ts';

interface Bucket {
  tokens: number;
  atMs: number;
}

export interface Buckets {
  /** The verdict is valid until the next call: one object is used for all of them. */
  take(key: string, nowMs: number): RateVerdict;
  /** As if the last one had not been taken. */
  giveBack(key: string): void;
  readonly size: number;
}

const bucketsDefaultMax = 100_000;
/** How many old buckets are looked at when a new one comes. More than one, so that full ones leave faster than new ones come. */
const lookedAtPerInsert = 2;

/**
 * Token buckets of one class in this process. A full bucket is the same as none, so full ones are dropped as others
 * come. When all are in use and the limit is reached the oldest one goes: memory stays bounded, and under such a
 * flood of addresses one of them may get its tokens back early.
 */
export function createBuckets({ capacity, refillMs }: RateLimit, bucketsMax = bucketsDefaultMax): Buckets {
  const buckets = new Map<string, Bucket>();
  const tokensPerMs = capacity / refillMs;
  const verdict: RateVerdict = { allowed: true, remaining: 0, waitMs: 0, fullInMs: 0 };

  function refill(bucket: Bucket, nowMs: number): void {
    // A clock that steps back must not drain the bucket.
    const passedMs = Math.max(0, nowMs - bucket.atMs);
    bucket.tokens = Math.min(capacity, bucket.tokens + passedMs * tokensPerMs);
    bucket.atMs = nowMs;
  }

  function makeRoom(nowMs: number): void {
    for (let looked = 0; looked < lookedAtPerInsert; looked++) {
      const oldest = buckets.entries().next();
      if (oldest.done) return;
      const [key, bucket] = oldest.value;
      refill(bucket, nowMs);
      buckets.delete(key);
      // One in use goes to the back of the line, unless there is no room left for it.
      if (bucket.tokens < capacity && buckets.size < bucketsMax - 1) buckets.set(key, bucket);
    }
  }

  return {
    get size() {
      return buckets.size;
    },
    take(key, nowMs) {
      let bucket = buckets.get(key);
      if (bucket === undefined) {
        makeRoom(nowMs);
        bucket = { tokens: capacity, atMs: nowMs };
        buckets.set(key, bucket);
      } else if (bucket.atMs !== nowMs) {
        refill(bucket, nowMs);
      }
      verdict.allowed = bucket.tokens >= 1;
      if (verdict.allowed) bucket.tokens -= 1;
      verdict.remaining = Math.floor(bucket.tokens);
      verdict.waitMs = verdict.allowed ? 0 : Math.ceil((1 - bucket.tokens) / tokensPerMs);
      verdict.fullInMs = Math.ceil((capacity - bucket.tokens) / tokensPerMs);
      return verdict;
    },
    giveBack(key) {
      const bucket = buckets.get(key);
      if (bucket !== undefined) bucket.tokens = Math.min(capacity, bucket.tokens + 1);
    },
  };
}
