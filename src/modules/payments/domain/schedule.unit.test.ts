import { expect, test } from 'vitest';
import { nextQuestionMs, nextRefundTryMs } from './schedule.ts';

test('an unknown outcome is asked for after 5 s, 30 s, 2 min, then every 5 min, and after a day every half hour', () => {
  expect([0, 1, 2, 3, 9].map((asked) => nextQuestionMs(asked, 0))).toEqual([5_000, 30_000, 120_000, 300_000, 300_000]);
  expect(nextQuestionMs(9, 24 * 60 * 60_000)).toBe(30 * 60_000);
});

test('a refund is tried again later and later, ten minutes apart at the most', () => {
  expect([1, 2, 3, 9, 30].map(nextRefundTryMs)).toEqual([2_000, 4_000, 8_000, 512_000, 600_000]);
});
