/** What every process knows of a draw: one for an era at most. */
export interface RoomDraw {
  readonly era: number;
  readonly commitment: string;
  /** `operator`: without public randomness. */
  readonly beacon: 'drand' | 'operator';
  readonly signInRequired: boolean;
  /** Of the log so far; after the freeze N. */
  readonly entries: number;
  readonly head: string;
  readonly frozenAtMs: number | null;
  readonly round: number | null;
  readonly seed: string | null;
  readonly voidReason: 'unrevealed' | 'reset' | null;
}

export type DrawStage = 'entering' | 'frozen' | 'drawn' | 'void';

/**
 *   entering ──freeze──▶ frozen ──reveal──▶ drawn
 *                          └──5 min after the round, or a reset──▶ void
 *
 * A draw that was revealed stays drawn, also when a reset lists it as void: its numbers were told.
 */
export function stageOf({ frozenAtMs, seed, voidReason }: RoomDraw): DrawStage {
  if (seed !== null) return 'drawn';
  if (voidReason !== null) return 'void';
  return frozenAtMs === null ? 'entering' : 'frozen';
}

export function drawOf(draws: readonly RoomDraw[], era: number): RoomDraw | null {
  return draws.find((draw) => draw.era === era) ?? null;
}
