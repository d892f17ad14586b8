/** Draws that depend on nothing but the seed (mulberry32), so that a run can be played again. */
export interface SeededRandom {
  /** A number in [0, 1). */
  fraction(): number;
  /** A whole number from `from` to `to`, both included. */
  between(from: number, to: number): number;
  pick<T>(values: readonly T[]): T;
  shuffle<T>(values: readonly T[]): T[];
}

export function createSeededRandom(seed: number): SeededRandom {
  let state = seed | 0;
  function fraction(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const between = (from: number, to: number) => from + Math.floor(fraction() * (to - from + 1));
  return {
    fraction,
    between,
    pick(values) {
      const value = values[between(0, values.length - 1)];
      if (value === undefined) throw new Error('there is nothing to pick from');
      return value;
    },
    shuffle(values) {
      const rest = [...values];
      return values.flatMap(() => rest.splice(between(0, rest.length - 1), 1));
    },
  };
}
