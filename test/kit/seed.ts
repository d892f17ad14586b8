import { randomInt } from 'node:crypto';

/** What every property test draws from unless told otherwise, so that two runs of the same sources are the same run. */
const usualSeed = 20_270_301;

/** The largest that fast-check takes and prints as it was given. */
const seedMax = 2 ** 31 - 1;

/**
 * The seed of this run. `URR_TEST_SEED=7` plays another one, `URR_TEST_SEED=random` draws one; a failure prints what was
 * used.
 */
export function testSeed(told = process.env.URR_TEST_SEED): number {
  if (told === undefined || told === '') return usualSeed;
  if (told === 'random') return randomInt(seedMax);
  const seed = Number(told);
  if (Number.isInteger(seed) && Math.abs(seed) <= seedMax) return seed;
  throw new Error(`URR_TEST_SEED is a whole number or "random", not "${told}"`);
}
