/** How many in each of the last 60 whole seconds: a ring of counters, each stamped with its second. */
export interface SecondsWindow {
  count(nowMs: number): void;
  /** Oldest first; the running second is not in it. */
  lastMinute(nowMs: number): number[];
}

const ringSize = 64;
const windowSeconds = 60;

export function createSecondsWindow(): SecondsWindow {
  const ring = Array.from({ length: ringSize }, () => ({ second: -1, count: 0 }));

  return {
    count(nowMs) {
      const second = Math.floor(nowMs / 1_000);
      const entry = ring[second % ringSize];
      if (entry?.second === second) entry.count += 1;
      else ring[second % ringSize] = { second, count: 1 };
    },
    lastMinute(nowMs) {
      const running = Math.floor(nowMs / 1_000);
      return Array.from({ length: windowSeconds }, (_, index) => {
        const second = running - windowSeconds + index;
        const entry = ring[second % ringSize];
        return entry?.second === second ? entry.count : 0;
      });
    },
  };
}
