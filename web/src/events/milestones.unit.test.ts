import { expect, test } from 'vitest';
import { milestoneBetween } from './milestones.ts';

test('a milestone is announced when it is reached, and once', () => {
  expect(milestoneBetween(60_900, 60_001)).toBeNull();
  expect(milestoneBetween(60_001, 60_000)).toMatchObject({ unit: 'minutes', value: 1 });
  expect(milestoneBetween(60_000, 59_000)).toBeNull();
});

test('after a long sleep only the latest milestone is told', () => {
  expect(milestoneBetween(4_000_000, 9_000)).toMatchObject({ unit: 'seconds', value: 10 });
  expect(milestoneBetween(4_000_000, -5)).toEqual({ unit: 'open', ms: 0 });
});

test('a sale that was open all along is not announced', () => {
  expect(milestoneBetween(-1_000, -2_000)).toBeNull();
});
