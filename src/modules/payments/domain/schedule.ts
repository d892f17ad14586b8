const minute = 60_000;

export const sagaTimes = {
  /** After this nobody is at work on an attempt any more, so that somebody else may look. */
  abandonedAfterMs: minute,
  /** How long a capture that was not heard of may be repeated; afterwards only one that the provider does not know. The others are asked for, and then cancelled. */
  repeatCaptureMs: 10 * minute,
  cancelUnknownAfterMs: 30 * minute,
  manualAfterMs: 24 * 60 * minute,
  /** A deposit that came at the last moment is heard of a little later. */
  depositGraceMs: 5_000,
  settledWithinMs: 10 * minute,
} as const;

/** After how long an attempt whose outcome is unknown is asked for again: 5 s, 30 s, 2 min, then every 5 min; after a day every half hour. */
export function nextQuestionMs(asked: number, unknownForMs: number): number {
  if (unknownForMs >= sagaTimes.manualAfterMs) return 30 * minute;
  return [5_000, 30_000, 2 * minute][asked] ?? 5 * minute;
}

/** Doubles from 2 s up to ten minutes, for a day: a provider may be away for hours, and refunds go on when it is back. */
export function nextRefundTryMs(tries: number): number {
  return Math.min(2_000 * 2 ** Math.max(0, tries - 1), 10 * minute);
}
