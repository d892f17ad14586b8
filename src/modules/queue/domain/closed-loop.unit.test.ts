import { expect, test } from 'vitest';
import { decideShare, type LoopState, loopAtStart, type OriginHealth } from './closed-loop.ts';

const config = { p95TargetMs: 500, errorRateTarget: 0.01, shareMin: 0.1, stepPerSecond: 0.05, settleMs: 5_000 };
const healthy = { calls: 100, p95Ms: 100, errorRate: 0 };
const slow = { calls: 100, p95Ms: 501, errorRate: 0 };
const failing = { calls: 100, p95Ms: 100, errorRate: 0.02 };

/** A decision each second. */
function run(health: OriginHealth | null, seconds: number, from: LoopState = loopAtStart) {
  let state = from;
  let decision = decideShare(config, state, { health, nowMs: (state.decidedAtMs ?? 0) + 1_000 });
  const reasons = [decision.decision.reason];
  for (let second = 1; second < seconds; second++) {
    state = decision.state;
    decision = decideShare(config, state, { health, nowMs: (state.decidedAtMs ?? 0) + 1_000 });
    reasons.push(decision.decision.reason);
  }
  return { ...decision, reasons };
}

test('a slow or failing origin halves the share, once for the same figures, down to a floor', () => {
  expect(run(slow, 1).decision).toEqual({ share: 0.5, reason: 'origin-slow', health: slow });
  expect(run(failing, 1).decision).toEqual({ share: 0.5, reason: 'origin-failing', health: failing });
  expect(run(slow, 5)).toMatchObject({ decision: { share: 0.5, reason: 'settling' } });
  expect(run(slow, 6)).toMatchObject({ decision: { share: 0.25, reason: 'origin-slow' } });
  expect(run(slow, 60).decision.share).toBe(0.1);
});

test('a healthy origin gets back what it bore in small steps', () => {
  const lowered = run(slow, 6).state;
  expect(run(healthy, 1, lowered).decision).toMatchObject({ share: 0.3, reason: 'origin-recovering' });
  expect(run(healthy, 10, lowered).decision.share).toBeCloseTo(0.75);
  expect(run(healthy, 40, lowered).decision).toMatchObject({ share: 1, reason: 'healthy' });
});

test('health counts by the time it lasts, not by how often it is looked at', () => {
  let state = run(slow, 1).state;
  for (let n = 0; n < 8; n++) {
    ({ state } = decideShare(config, state, { health: healthy, nowMs: (state.decidedAtMs ?? 0) + 250 }));
  }
  expect(state.share).toBeCloseTo(0.6);
  const after = decideShare(config, state, { health: healthy, nowMs: (state.decidedAtMs ?? 0) + 3_600_000 });
  expect(after.state.share).toBeCloseTo(0.7);
});

test('without news nothing changes, however long', () => {
  const lowered = run(slow, 1).state;
  expect(run(null, 1_000, lowered).decision).toEqual({ share: 0.5, reason: 'no-news', health: null });
  expect(run(null, 3).decision.share).toBe(1);
});
