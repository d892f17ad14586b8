import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextPollSeconds } from './next-poll.ts';

test.each([
  [-1, 3],
  [0, 3],
  [1, 1],
  [1_000, 1],
  [1_001, 5],
  [5_000, 5],
  [5_001, 10],
  [10_000, 10],
  [10_001, 30],
  [100_000, 30],
  [100_001, 60],
  [2_000_000, 60],
])('position %i asks again after %i s at the latest', (position, seconds) => {
  expect(nextPollSeconds(position, 0)).toBe(seconds);
});

test('chance shortens the time by up to a fifth and never makes it longer', () => {
  const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: -5, max: 3_000_000 }), fraction, (position, chance) => {
      const latest = nextPollSeconds(position, 0);
      const seconds = nextPollSeconds(position, chance);
      expect(seconds).toBeLessThanOrEqual(latest);
      expect(seconds).toBeGreaterThanOrEqual(latest * 0.8 - 0.01);
    }),
  );
});

test('a million who wait ask fewer than 40,000 times a second', () => {
  let perSecond = 0;
  for (let position = 1; position <= 1_000_000; position += 1) perSecond += 1 / nextPollSeconds(position, 0.5);
  expect(perSecond).toBeLessThan(40_000);
});
