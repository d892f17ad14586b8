import { expect, test } from 'vitest';
import { createReplayGuard } from './replay-guard.ts';

const validMs = 15_000;
function aGuard(generationMax = 1_000) {
  const clock = { ms: 1_800_000_000_000, now: () => clock.ms, monotonicMs: () => clock.ms };
  return { clock, ...createReplayGuard({ clock, validMs, generationMax }) };
}

test('a signature is remembered for as long as it is valid, however it lies in time', () => {
  const { clock, firstUse } = aGuard();
  // Made by a clock that is ahead as far as it may be: it is valid for twice the time.
  const signedAtMs = clock.ms + validMs;
  expect(firstUse('a', signedAtMs)).toBe(true);
  for (let n = 0; n <= 30; n++) {
    expect(firstUse('a', signedAtMs)).toBe(false);
    expect(firstUse(`other ${n}`, clock.ms)).toBe(true);
    clock.ms += 1_000;
  }
});

test('memory is bounded, and what was forgotten for that is refused', () => {
  const { clock, firstUse } = aGuard(10);
  const startedAtMs = clock.ms;
  for (let n = 0; n < 100; n++) {
    clock.ms += 1;
    expect(firstUse(`call ${n}`, clock.ms)).toBe(true);
  }
  for (let n = 0; n < 100; n++) expect(firstUse(`call ${n}`, startedAtMs + n + 1)).toBe(false);
  expect(firstUse('late', startedAtMs + 1)).toBe(false);
  expect(firstUse('now', clock.ms)).toBe(true);
});

test('clocks that are set back refuse nobody', () => {
  const { clock, firstUse } = aGuard(10);
  for (let n = 0; n < 100; n++) firstUse(`call ${n}`, clock.ms);
  clock.ms -= 3_600_000;
  for (let n = 0; n < 100; n++) {
    clock.ms += 1;
    expect(firstUse(`later ${n}`, clock.ms)).toBe(true);
  }
});
