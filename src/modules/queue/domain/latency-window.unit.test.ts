import { expect, test } from 'vitest';
import {
  addCounts,
  bucketsMax,
  callsMin,
  createLatencyWindow,
  healthOf,
  type LatencyCounts,
} from './latency-window.ts';

const startMs = 1_800_000_000_000;

function windowOf(answers: readonly { ms: number; failed?: boolean; atMs?: number }[]) {
  const window = createLatencyWindow();
  for (const { ms, failed = false, atMs = 0 } of answers) window.note({ ms, failed, nowMs: startMs + atMs });
  return window;
}

function countsOf(answers: readonly { ms: number; failed?: boolean }[]): LatencyCounts {
  const counts = windowOf(answers).counts(startMs);
  if (counts === null) throw new Error('there are answers');
  return counts;
}

const times = (count: number, ms: number, failed = false) => Array.from({ length: count }, () => ({ ms, failed }));

test('the percentile is within a tenth of the true one', () => {
  for (const ms of [1, 7, 120, 499, 2_000, 60_000]) {
    const { p95Ms } = healthOf(countsOf(times(100, ms))) ?? { p95Ms: 0 };
    expect(Math.abs(p95Ms - ms)).toBeLessThanOrEqual(Math.max(1, ms * 0.1));
  }
  const spread = healthOf(countsOf(Array.from({ length: 1_000 }, (_, n) => ({ ms: n + 1 }))));
  expect(spread?.p95Ms).toBeGreaterThan(900);
  expect(spread?.p95Ms).toBeLessThan(1_000);
});

test('one slow answer in twenty is not yet the percentile, two are', () => {
  expect(healthOf(countsOf([...times(95, 20), ...times(5, 3_000)]))?.p95Ms).toBeLessThan(30);
  expect(healthOf(countsOf([...times(90, 20), ...times(10, 3_000)]))?.p95Ms).toBeGreaterThan(2_700);
});

test('faults are counted by their share', () => {
  expect(healthOf(countsOf([...times(75, 10), ...times(25, 10, true)]))).toMatchObject({ calls: 100, errorRate: 0.25 });
});

test('a handful of answers is no news', () => {
  expect(healthOf(countsOf(times(callsMin - 1, 9_000)))).toBeNull();
  expect(healthOf(countsOf(times(callsMin, 9_000)))).not.toBeNull();
});

test('answers are forgotten after five seconds', () => {
  const window = windowOf([...times(30, 10), ...times(30, 4_000).map((answer) => ({ ...answer, atMs: 4_000 }))]);
  expect(healthOf(window.counts(startMs + 4_999) ?? { buckets: [], failed: 0 })?.calls).toBe(60);
  expect(healthOf(window.counts(startMs + 5_000) ?? { buckets: [], failed: 0 })?.calls).toBe(30);
  expect(window.counts(startMs + 9_000)).toBeNull();
});

test('a clock that is set back starts anew', () => {
  const window = windowOf(times(30, 10));
  expect(window.counts(startMs - 60_000)).toBeNull();
});

test('the counts of several processes add up to those of one', () => {
  const [one, two] = [times(50, 10), times(50, 900, true)];
  expect(addCounts([countsOf(one), countsOf(two)])).toEqual(countsOf([...one, ...two]));
});

test('what is beyond all measure is counted as the longest', () => {
  expect(countsOf(times(1, 1e12)).buckets[bucketsMax - 1]).toBe(1);
  expect(countsOf(times(1, -5)).buckets[0]).toBe(1);
});
