import { randomBytes, randomFillSync } from 'node:crypto';

/** The one source of randomness. Handed in as a dependency, so that tests can repeat a run. */
export interface Random {
  bytes(count: number): Buffer;
  /** A number in [0, 1). */
  fraction(): number;
}

export const systemRandom: Random = {
  bytes: drawBytes,
  fraction: () => Math.random(),
};

/**
 * Every request draws an id, and a call into the generator costs as much for 16 bytes as for thousands: drawn one by
 * one they took as long as all the rest of a request. Each byte is handed out once and then wiped.
 */
const pool = Buffer.alloc(8_192);
const pooledMax = 64;
let used = pool.length;

function drawBytes(count: number): Buffer {
  if (count > pooledMax) return randomBytes(count);
  if (used + count > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const bytes = Buffer.from(pool.subarray(used, used + count));
  pool.fill(0, used, used + count);
  used += count;
  return bytes;
}
