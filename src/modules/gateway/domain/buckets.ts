import type { RateLimit, RateVerdict } from './rate-limits.ts';
import { createSweep } from './sweep.ts';
import { judge, noVerdict, refill, type TokenBucket } from './token-bucket.ts';

export interface Buckets {
  /** The verdict is valid until the next call: one object is used for all of them. */
  take(key: string, nowMs: number): RateVerdict;
  /** As if the last one had not been taken. */
  giveBack(key: string): void;
  readonly size: number;
}

const bucketsDefaultMax = 100_000;
/** How many buckets are looked at when a new one comes. More than one, so that full ones leave faster than new ones come. */
const lookedAtPerInsert = 2;

/**
 * Token buckets of one class in this process. A full bucket is the same as none, so full ones are dropped as others
 * come. When all are in use and the limit is reached one of them goes: memory stays bounded, and under such a
 * flood of addresses one of them may get its tokens back early.
 */
export function createBuckets(limit: RateLimit, bucketsMax = bucketsDefaultMax): Buckets {
  const { capacity } = limit;
  const buckets = new Map<string, TokenBucket>();
  const sweep = createSweep(buckets);
  const verdict = noVerdict();

  function makeRoom(nowMs: number): void {
    for (let looked = 0; looked < lookedAtPerInsert; looked++) {
      const next = sweep();
      if (next === undefined) return;
      const [key, bucket] = next;
      refill(bucket, limit, nowMs);
      // One in use stays, unless there is no room left.
      if (bucket.tokens >= capacity || buckets.size >= bucketsMax) buckets.delete(key);
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
        refill(bucket, limit, nowMs);
      }
      const allowed = bucket.tokens >= 1;
      if (allowed) bucket.tokens -= 1;
      return judge(verdict, limit, { allowed, tokens: bucket.tokens });
    },
    giveBack(key) {
      const bucket = buckets.get(key);
      if (bucket !== undefined) bucket.tokens = Math.min(capacity, bucket.tokens + 1);
    },
  };
}
