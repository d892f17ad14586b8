import type { Clock } from '#platform/clock.ts';

/**
 * How far a reader of the ledger is behind: everything that had begun before then is read. A transaction that takes long, of
 * anybody on that server, holds the reader back until it ends.
 */
export interface LedgerLag {
  begin(): void;
  /** Seconds behind, by what a reading says of the transactions under way. */
  heard(reading: { xmin: number; xmax: number }): number;
}

/** At four readings a second this is ten minutes; a longer lag is told as that much. */
const readingsMax = 2_400;

export function createLedgerLag(clock: Pick<Clock, 'monotonicMs'>): LedgerLag {
  let before: { readonly xmax: number; readonly atMs: number }[] = [];
  return {
    begin() {
      before = [];
    },
    heard({ xmin, xmax }) {
      const nowMs = clock.monotonicMs();
      before.push({ xmax, atMs: nowMs });
      const newest = before.findLastIndex((each) => each.xmax <= xmin);
      before = before.slice(Math.max(0, newest)).slice(-readingsMax);
      return (nowMs - (before[0]?.atMs ?? nowMs)) / 1_000;
    },
  };
}
