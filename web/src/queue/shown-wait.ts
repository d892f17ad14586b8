import type { QueueAnswer } from './queue-client.ts';

export type LongerBecause = 'slower' | 'fewer' | 'returned';

export interface ShownWait {
  /** Null: nobody can tell. */
  readonly lowSeconds: number | null;
  readonly highSeconds: number | null;
  readonly atMs: number;
  /** Why it is longer than what was shown before; null when it is not. */
  readonly because: LongerBecause | null;
  /** A longer wait that is told since this moment, and not believed yet. */
  readonly doubtSinceMs: number | null;
}

/** A longer wait must be told this long before it is shown: one odd second is no reason to worry people. */
const doubtMs = 15_000;
const longerFactor = 1.25;
const longerSeconds = 20;

export interface WaitChange {
  readonly before: ShownWait | null;
  readonly beforeAnswer: QueueAnswer | null;
  readonly answer: QueueAnswer;
  readonly nowMs: number;
}

/** The wait to show after a new answer. It runs down with the clock, falls at once, and grows only with a reason, which is told. */
export function followWait({ before, beforeAnswer, answer, nowMs }: WaitChange): ShownWait {
  const low = answer.estimatedWait ?? null;
  const high = answer.estimatedWaitHigh ?? low;
  const fresh = { lowSeconds: low, highSeconds: high, atMs: nowMs, because: null, doubtSinceMs: null };
  if (before === null || before.lowSeconds === null || low === null) return fresh;

  const passed = (nowMs - before.atMs) / 1_000;
  const expected = Math.max(0, before.lowSeconds - passed);
  if (low <= Math.max(expected * longerFactor, expected + longerSeconds)) {
    const higher = Math.max(low, Math.min(high ?? low, Math.max(low, (before.highSeconds ?? low) - passed)));
    return { ...fresh, lowSeconds: Math.min(low, expected), highSeconds: higher, because: keptReason(before, low) };
  }
  const reason = reasonOf(beforeAnswer, answer);
  const doubtSinceMs = before.doubtSinceMs ?? nowMs;
  if (reason === null && nowMs - doubtSinceMs < doubtMs) {
    return {
      lowSeconds: expected,
      highSeconds: Math.max(expected, (before.highSeconds ?? expected) - passed),
      atMs: nowMs,
      because: before.because,
      doubtSinceMs,
    };
  }
  return { ...fresh, because: reason ?? 'slower' };
}

/** The reason stays in sight while the wait is about what it was when it grew. */
function keptReason(before: ShownWait, low: number): LongerBecause | null {
  return before.because !== null && low > (before.lowSeconds ?? 0) * 0.6 ? before.because : null;
}

function reasonOf(before: QueueAnswer | null, answer: QueueAnswer): LongerBecause | null {
  if (before === null) return null;
  if ((answer.threshold ?? 0) < (before.threshold ?? 0)) return 'fewer';
  const grown = (answer.position ?? 0) - (before.position ?? 0);
  return grown > Math.max(10, (before.position ?? 0) * 0.05) ? 'returned' : null;
}
