import { assert } from '#platform/assert.ts';
import { flusherKeptMs, outageMs } from '../../ports.ts';
import { absentMs } from './play.ts';

/**
 * Nobody is parked within `absentMs` after a time in which a process that had said that it flushes did not; but for who was
 * silent for a minute longer, in which there was no outage of everything.
 */
export interface FlushLaw {
  flushed(flush: { by: string; isLeaving: boolean; nowMs: number }): void;
  stepped(step: { parked: number; nowMs: number }): void;
  /** The store began anew. */
  reset(): void;
}

export function createFlushLaw({ onPause }: { onPause: () => void }): FlushLaw {
  const lastWord = new Map<string, number>();
  let pausedAtMs = Number.NEGATIVE_INFINITY;
  let steppedAtMs = Number.NEGATIVE_INFINITY;
  let outageAtMs = Number.NEGATIVE_INFINITY;

  /** What was silent for longer may have been forgotten, or not: of that the law says nothing. */
  function noteSilence(sinceMs: number, nowMs: number): void {
    const silentMs = nowMs - sinceMs;
    if (silentMs <= outageMs || silentMs > flusherKeptMs) return;
    pausedAtMs = nowMs;
    onPause();
  }

  return {
    flushed({ by, isLeaving, nowMs }) {
      noteSilence(lastWord.get(by) ?? nowMs, nowMs);
      if (isLeaving) lastWord.delete(by);
      else lastWord.set(by, nowMs);
    },
    stepped({ parked, nowMs }) {
      for (const atMs of lastWord.values()) noteSilence(atMs, nowMs);
      const areAllSilent = lastWord.size > 0 && nowMs - Math.max(...lastWord.values()) > outageMs;
      if (nowMs - steppedAtMs > outageMs || areAllSilent) outageAtMs = nowMs;
      steppedAtMs = nowMs;
      const isFair = nowMs - pausedAtMs >= absentMs || nowMs - outageAtMs >= absentMs + flusherKeptMs;
      assert(parked === 0 || isFair, 'somebody was parked after a pause of the flushes');
    },
    reset() {
      lastWord.clear();
      pausedAtMs = Number.NEGATIVE_INFINITY;
      steppedAtMs = Number.NEGATIVE_INFINITY;
    },
  };
}
