import { expect, test } from 'vitest';
import { decidePace, type PaceConfig, type PaceInputs, type PaceState, paceAtStart } from './pace.ts';

const fixed: PaceConfig = {
  mode: 'fixed',
  intervalMs: 1_000,
  shortIntervalMs: 250,
  longIntervalMs: 2_000,
  batch: 100,
  closedLoop: null,
};
const looped: PaceConfig = { ...fixed, closedLoop: { p95TargetMs: 500, errorRateTarget: 0.01, shareMin: 0.1 } };
const calm: PaceInputs = { free: 10, waiting: 500, admitted: 0, noShows: 0, origin: null };
const healthy = { p95Ms: 100, errorRate: 0 };

function run(config: PaceConfig, inputs: PaceInputs, times: number, from: PaceState = paceAtStart) {
  let decision = decidePace(config, from, inputs);
  for (let n = 1; n < times; n++) decision = decidePace(config, decision.state, inputs);
  return decision;
}

test('a fixed pace is fixed', () => {
  expect(decidePace(fixed, paceAtStart, calm)).toMatchObject({ intervalMs: 1_000, batch: 100, reason: 'fixed' });
  expect(decidePace(fixed, paceAtStart, { ...calm, free: 0 })).toMatchObject({ intervalMs: 1_000, batch: 100 });
});

test('an adaptive pace is quick while slots are free and somebody waits', () => {
  const adaptive = { ...fixed, mode: 'adaptive' } as const;
  expect(decidePace(adaptive, paceAtStart, calm)).toMatchObject({ intervalMs: 250, reason: 'slots-free' });
  expect(decidePace(adaptive, paceAtStart, { ...calm, free: 0 })).toMatchObject({ intervalMs: 2_000, reason: 'full' });
  expect(decidePace(adaptive, paceAtStart, { ...calm, waiting: 0 })).toMatchObject({ intervalMs: 2_000 });
});

test('a slow or failing origin halves the release, down to a floor', () => {
  const slow = { ...calm, origin: { p95Ms: 501, errorRate: 0 } };
  expect(run(looped, slow, 1)).toMatchObject({ batch: 50, reason: 'origin-slow' });
  expect(run(looped, slow, 2)).toMatchObject({ batch: 25 });
  expect(run(looped, slow, 20)).toMatchObject({ batch: 10 });
  const failing = { ...calm, origin: { p95Ms: 100, errorRate: 0.02 } };
  expect(run(looped, failing, 1)).toMatchObject({ batch: 50, reason: 'origin-failing' });
});

test('a healthy origin gets back what it bore in small steps', () => {
  const lowered = { share: 0.25, noShowRate: 0 };
  expect(run(looped, { ...calm, origin: healthy }, 1, lowered)).toMatchObject({
    batch: 30,
    reason: 'origin-recovering',
  });
  expect(run(looped, { ...calm, origin: healthy }, 14, lowered).batch).toBe(95);
  expect(run(looped, { ...calm, origin: healthy }, 40, lowered)).toMatchObject({ batch: 100, reason: 'fixed' });
});

test('without news from the origin nothing changes', () => {
  expect(run(looped, calm, 10, { share: 0.5, noShowRate: 0 })).toMatchObject({ batch: 50, reason: 'fixed' });
});

test('people who stay away are made up for, but never more than twofold', () => {
  const someStayAway = { ...calm, admitted: 80, noShows: 20 };
  const { batch, state } = run(looped, someStayAway, 200);
  expect(state.noShowRate).toBeCloseTo(0.25, 2);
  expect(batch).toBe(133);
  expect(run(looped, { ...calm, admitted: 0, noShows: 50 }, 200).batch).toBe(200);
  expect(run(looped, calm, 5, state).state.noShowRate).toBe(state.noShowRate);
});
