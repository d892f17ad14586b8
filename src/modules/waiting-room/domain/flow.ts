/** How fast the line was served lately, while somebody waited: an empty line says nothing about how fast it could be. */
export interface Flow {
  note(seen: { atMs: number; serving: number; lastLine: number }): void;
  /** People a second over the last window; null: there is no measurement. */
  perSecond(): number | null;
}

const windowMs = 30_000;
const leastMs = 5_000;

export function createFlow(): Flow {
  let seen: { atMs: number; serving: number }[] = [];
  return {
    note({ atMs, serving, lastLine }) {
      const before = seen.at(-1);
      const isBackwards = before !== undefined && (serving < before.serving || atMs < before.atMs);
      if (serving >= lastLine || isBackwards) seen = [];
      seen = [...seen.filter((one) => atMs - one.atMs <= windowMs), { atMs, serving }];
    },
    perSecond() {
      const [first] = seen;
      const last = seen.at(-1);
      if (first === undefined || last === undefined || last.atMs - first.atMs < leastMs) return null;
      return ((last.serving - first.serving) * 1000) / (last.atMs - first.atMs);
    },
  };
}
