import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { testSeed } from './seed.ts';

describe('the seed of a run', () => {
  test('is always the same unless told otherwise', () => {
    expect(testSeed('')).toBe(testSeed(''));
    expect(testSeed('7')).toBe(7);
    expect(testSeed('-7')).toBe(-7);
  });

  test('can be drawn', () => {
    const drawn = Array.from({ length: 5 }, () => testSeed('random'));
    expect(new Set(drawn).size).toBeGreaterThan(1);
  });

  test.each(['1.5', 'seven', '2147483648'])('is not %s', (told) => {
    expect(() => testSeed(told)).toThrow(`not "${told}"`);
  });

  test('is what property tests draw from, and what a failing one prints', () => {
    const { seed } = fc.readConfigureGlobal();
    expect(seed).toBe(testSeed());
    const failing = () => fc.assert(fc.property(fc.nat(), (n) => n < 0));
    expect(failing).toThrow(`{ seed: ${seed}, path: "0`);
  });
});
