import { expect, test } from 'vitest';
import { clockText, timeParts } from './time-parts.ts';

test('what is left is split into days, hours, minutes and seconds', () => {
  expect(timeParts(((2 * 24 + 3) * 60 + 4) * 60_000 + 5_000)).toEqual({ days: 2, hours: 3, minutes: 4, seconds: 5 });
});

test('zero is shown at the very moment and never before it', () => {
  expect(timeParts(1).seconds).toBe(1);
  expect(timeParts(0).seconds).toBe(0);
  expect(timeParts(-5_000)).toEqual({ days: 0, hours: 0, minutes: 0, seconds: 0 });
});

test('a clock has two figures for everything, and hours only when there are some', () => {
  expect([492_000, 59_001, 0, 3_600_000, 90_061_000].map(clockText)).toEqual([
    '08:12',
    '01:00',
    '00:00',
    '01:00:00',
    '25:01:01',
  ]);
});
