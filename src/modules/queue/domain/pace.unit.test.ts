import { expect, test } from 'vitest';
import { decidePace, type PaceConfig, type PaceInputs, type PaceState, paceAtStart } from './pace.ts';

const fixed: PaceConfig = {
  mode: 'fixed',
  intervalMs: 1_000,
  shortIntervalMs: 250,
  longIntervalMs: 2_000,
  batch: 100,
};
const calm: PaceInputs = { free: 10, waiting: 500, admitted: 0, noShows: 0, origin: null };
const bears = (share: number) => ({ share, reason: 'healthy', health: null }) as const;

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

test('the batch is the share that the origin bears, and never nothing', () => {
  expect(decidePace(fixed, paceAtStart, { ...calm, origin: bears(0.25) })).toMatchObject({
    batch: 25,
    intervalMs: 1_000,
  });
  expect(decidePace({ ...fixed, batch: 3 }, paceAtStart, { ...calm, origin: bears(0.1) })).toMatchObject({ batch: 1 });
});

test('with a closed loop people who stay away are made up for, but never more than twofold', () => {
  const someStayAway = { ...calm, admitted: 80, noShows: 20, origin: bears(1) };
  const { batch, state } = run(fixed, someStayAway, 200);
  expect(state.noShowRate).toBeCloseTo(0.25, 2);
  expect(batch).toBe(133);
  expect(run(fixed, { ...someStayAway, admitted: 0, noShows: 50 }, 200).batch).toBe(200);
  expect(run(fixed, { ...calm, origin: bears(1) }, 5, state).state.noShowRate).toBe(state.noShowRate);
  expect(run(fixed, { ...someStayAway, origin: null }, 200).batch).toBe(100);
});
