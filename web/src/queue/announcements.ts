/** What a screen reader was told last, and when. */
export interface Told {
  readonly position: number;
  readonly atMs: number;
}

const everyMs = 60_000;
/** Passing one of these is worth a word even within the minute. */
const milestones = [10_000, 5_000, 1_000, 500, 100, 50, 10, 3, 1];

/** Whether the new position should be spoken: at most once a minute, or when it passed a milestone. */
export function worthTelling(told: Told | null, now: Told): boolean {
  if (told === null) return true;
  if (now.position >= told.position) return false;
  if (now.atMs - told.atMs >= everyMs) return true;
  return milestones.some((milestone) => told.position > milestone && now.position <= milestone);
}
