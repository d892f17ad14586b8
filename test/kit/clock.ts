import type { Clock } from '#platform/clock.ts';

export interface FakeClock extends Clock {
  advance(ms: number): void;
  set(ms: number): void;
}

/** A clock that stands still until told otherwise. */
export function aClock(startMs = Date.parse('2027-03-01T11:00:00.000Z')): FakeClock {
  let current = startMs;
  return {
    now: () => current,
    advance(ms) {
      current += ms;
    },
    set(ms) {
      current = ms;
    },
  };
}
