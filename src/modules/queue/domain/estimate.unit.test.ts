import fc from 'fast-check';
import { expect, test } from 'vitest';
import { estimateWait } from './estimate.ts';

const config = { activeTtlMs: 600_000, admissionIntervalMs: 1_000, admissionBatch: 100 };
const settings = { threshold: 1_000, paused: false, closed: false, message: null };
const totals = { joined: 0, admitted: 0, left: 0, noShows: 0, forgotten: 0 };
/** All slots were just filled, and none was given back yet. */
const quiet = {
  active: 1_000,
  parked: 0,
  settings,
  recovering: false,
  admittedPerSecond: Array<number>(60).fill(0),
  totals: { ...totals, admitted: 1_000 },
};
const steady = (perSecond: number) => ({
  ...quiet,
  admittedPerSecond: Array<number>(60).fill(perSecond),
  totals: { ...totals, admitted: 10_000 },
});
const wait = (position: number, snapshot: Parameters<typeof estimateWait>[0]['snapshot']) =>
  estimateWait({ position, snapshot, config });

test('before anything was measured slots are expected to last half their time, and fifty a second at most to be given', () => {
  expect(wait(10_000, quiet)).toEqual({ seconds: 3_000, highSeconds: 6_001 });
  const held = 100_000;
  const large = {
    ...quiet,
    active: held,
    settings: { ...settings, threshold: held },
    totals: { ...totals, admitted: held },
  };
  expect(wait(10_000, large).seconds).toBe(200);
  expect(wait(3, large).seconds).toBe(5);
});

test('a first estimate promises nothing that the threshold cannot deliver', () => {
  const oneSlot = { ...quiet, active: 1, settings: { ...settings, threshold: 1 }, totals: { ...totals, admitted: 1 } };
  // Five people through one slot of ten minutes, each in half of it.
  expect(wait(5, oneSlot)).toEqual({ seconds: 1_500, highSeconds: 3_001 });
  const slow = { ...config, admissionIntervalMs: 10_000, admissionBatch: 2 };
  expect(estimateWait({ position: 100, snapshot: quiet, config: slow }).seconds).toBe(500);
});

test('what was measured with a higher threshold is no promise with a lower one', () => {
  const lowered = { ...steady(50), active: 2, settings: { ...settings, threshold: 2 } };
  expect(wait(100, lowered).seconds).toBe(50);
});

test('with a steady turnover the wait is position ÷ rate', () => {
  expect(wait(1_000, steady(10)).seconds).toBe(100);
  expect(wait(1_000, steady(20)).seconds).toBe(50);
});

test('free slots are filled at the pace of admission, whatever was measured', () => {
  expect(wait(250, { ...steady(1), active: 0 })).toEqual({ seconds: 3, highSeconds: 4 });
});

test('slots that must end first after a lowered threshold are part of the wait', () => {
  const lowered = { ...steady(10), settings: { ...settings, threshold: 800 } };
  expect(wait(100, lowered).seconds).toBe(30);
});

test('the turnover is never taken to be quicker than admission works', () => {
  expect(wait(1_000, steady(5_000)).seconds).toBe(10);
});

test('one early admission does not promise days: every slot ends in time', () => {
  const admittedPerSecond = Array.from({ length: 60 }, (_, second) => (second === 0 ? 1 : 0));
  const snapshot = { ...quiet, admittedPerSecond, totals: { ...totals, admitted: 1_001 } };
  expect(wait(100_000, snapshot).seconds).toBe(60_000);
});

test('the filling of the slots at the opening is not taken for turnover', () => {
  const admittedPerSecond = Array.from({ length: 60 }, (_, second) => (second >= 50 ? 100 : 0));
  expect(wait(1_000, { ...quiet, admittedPerSecond })).toEqual(wait(1_000, quiet));
});

test('the first slots given back do not turn minutes into hours', () => {
  // The shop was filled in ten seconds, then 50 a second left.
  const opened = (secondsAgo: number) => ({
    ...quiet,
    admittedPerSecond: Array.from({ length: 60 }, (_, second) => {
      if (second >= 60 - secondsAgo) return 50;
      return second >= 50 - secondsAgo ? 100 : 0;
    }),
    totals: { ...totals, admitted: 1_000 + 50 * secondsAgo },
  });
  for (const secondsAgo of [1, 2, 5, 10, 30])
    expect([secondsAgo, wait(10_000, opened(secondsAgo)).seconds]).toEqual([secondsAgo, 200]);
  const oneLeft = { ...opened(0), active: 999 };
  expect(wait(10_000, oneLeft).seconds).toBe(3_001);
});

test('after a pause what was before it is no measure', () => {
  const resumed = (secondsAgo: number) => ({
    ...steady(0),
    admittedPerSecond: Array.from({ length: 60 }, (_, second) => (second >= 60 - secondsAgo ? 50 : 0)),
  });
  for (const secondsAgo of [1, 5, 20])
    expect([secondsAgo, wait(10_000, resumed(secondsAgo)).seconds]).toEqual([secondsAgo, 200]);
});

test('after a lost store the turnover is measured, though the slots were given before', () => {
  const recovered = { ...steady(10), totals: { ...totals, admitted: 600 } };
  expect(wait(1_000, recovered).seconds).toBe(100);
});

test('paused, recovering or without any slot nobody can tell', () => {
  const unknown = { seconds: null, highSeconds: null };
  expect(wait(5, { ...steady(10), settings: { ...settings, paused: true } })).toEqual(unknown);
  expect(wait(5, { ...steady(10), recovering: true })).toEqual(unknown);
  expect(wait(5, { ...steady(10), settings: { ...settings, threshold: 0 } })).toEqual(unknown);
});

test('whatever the state: a range of whole seconds that grows with the position and that the settings allow', () => {
  const snapshots = fc.record({
    active: fc.nat(5_000),
    parked: fc.nat(50_000),
    threshold: fc.integer({ min: 1, max: 5_000 }),
    admittedPerSecond: fc.array(fc.nat(300), { minLength: 60, maxLength: 60 }),
    admitted: fc.nat(1_000_000),
  });
  fc.assert(
    fc.property(snapshots, fc.integer({ min: 1, max: 1_000_000 }), (facts, position) => {
      const snapshot = {
        ...quiet,
        ...facts,
        settings: { ...settings, threshold: facts.threshold },
        totals: { ...totals, admitted: facts.admitted },
      };
      const near = wait(position, snapshot);
      const far = wait(position * 2, snapshot);
      const seconds = near.seconds ?? Number.NaN;
      const high = near.highSeconds ?? Number.NaN;
      expect(Number.isInteger(seconds) && Number.isInteger(high)).toBe(true);
      expect(seconds).toBeGreaterThan(0);
      expect(high).toBeGreaterThanOrEqual(seconds);
      expect(far.seconds).toBeGreaterThanOrEqual(seconds);
      const rounds = Math.ceil(position / facts.threshold) + 1;
      expect(high).toBeLessThanOrEqual(rounds * 600 + Math.ceil(position / 100) + 2);
    }),
  );
});
