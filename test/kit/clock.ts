import type { Clock } from '#platform/clock.ts';

export interface FakeClock extends Clock {
  advance(ms: number): void;
  set(ms: number): void;
  /** As NTP or an operator does: no time passes by it. */
  setBack(ms: number): void;
}

/** A clock that stands still until told otherwise. */
export function aClock(startMs = Date.parse('2027-03-01T11:00:00.000Z')): FakeClock {
  let current = startMs;
  let passedMs = 0;
  return {
    now: () => current,
    monotonicMs: () => passedMs,
    advance(ms) {
      current += ms;
      passedMs += ms;
    },
    set(ms) {
      passedMs += Math.max(0, ms - current);
      current = ms;
    },
    setBack(ms) {
      current -= ms;
    },
  };
}

/** For what asks no ages: only the wall clock is given. */
export function wallClock(now: () => number): Clock {
  return { now, monotonicMs: now };
}
