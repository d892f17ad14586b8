import type { Clock } from '#platform/clock.ts';

/** The database's time as this process can tell it without asking: never ahead of it, behind by one answer's way at the most. */
export interface DatabaseTime {
  now(): number;
  /** As an answer has just said. */
  heard(nowMs: number): void;
}

export function createDatabaseTime(clock: Clock): DatabaseTime {
  let heard: { readonly nowMs: number; readonly atMs: number } | null = null;
  return {
    now: () => (heard === null ? clock.now() : Math.floor(heard.nowMs + clock.monotonicMs() - heard.atMs)),
    heard(nowMs) {
      heard = { nowMs, atMs: clock.monotonicMs() };
    },
  };
}
