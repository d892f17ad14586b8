/**
 * Lets in what the origin bears: additive increase, multiplicative decrease. The share is of the whole installation and
 * not of one event, since the events share the origin; every process decides it by the same figures.
 *
 *   share = 1 ──slow or failing──▶ half, at most once in `settleMs` ──again──▶ … ──▶ shareMin
 *      ▲                             │
 *      └──── a step each second ◀────┘ healthy
 */
export interface ClosedLoopConfig {
  readonly p95TargetMs: number;
  /** Share of answers that are faults of the server, 0…1. */
  readonly errorRateTarget: number;
  /** Never below this share of the batch: a queue that stands still is no protection but an outage. */
  readonly shareMin: number;
  /** How much of the share comes back in a second of health. */
  readonly stepPerSecond: number;
}

export interface OriginHealth {
  readonly calls: number;
  readonly p95Ms: number;
  readonly errorRate: number;
}

export interface LoopState {
  readonly share: number;
  readonly decidedAtMs: number | null;
  readonly loweredAtMs: number | null;
}

/** What admission goes by, and why it is so. */
export interface OriginShare {
  /** Of the batch, 0…1. */
  readonly share: number;
  readonly reason: 'healthy' | 'no-news' | 'origin-slow' | 'origin-failing' | 'settling' | 'origin-recovering';
  /** Null: no news. */
  readonly health: OriginHealth | null;
}

export const loopAtStart: LoopState = { share: 1, decidedAtMs: null, loweredAtMs: null };

const decrease = 0.5;
/** After a pause without decisions nobody knows how the origin was: what comes back is that of a second or two. */
const raiseForMsMax = 2_000;

export function decideShare(
  config: ClosedLoopConfig & { settleMs: number },
  state: LoopState,
  { health, nowMs }: { health: OriginHealth | null; nowMs: number },
): { readonly state: LoopState; readonly decision: OriginShare } {
  const { reason, share } = verdict(config, state, { health, nowMs });
  const loweredAtMs = share < state.share ? nowMs : state.loweredAtMs;
  return { state: { share, decidedAtMs: nowMs, loweredAtMs }, decision: { share, reason, health } };
}

function verdict(
  config: ClosedLoopConfig & { settleMs: number },
  { share, decidedAtMs, loweredAtMs }: LoopState,
  { health, nowMs }: { health: OriginHealth | null; nowMs: number },
): Pick<OriginShare, 'share' | 'reason'> {
  if (health === null) return { share, reason: 'no-news' };
  const failing = health.errorRate > config.errorRateTarget;
  if (failing || health.p95Ms > config.p95TargetMs) {
    // The figures are of some seconds: those from before the last decrease must not be held against the origin again.
    if (loweredAtMs !== null && nowMs - loweredAtMs < config.settleMs) return { share, reason: 'settling' };
    const lowered = Math.max(config.shareMin, share * decrease);
    return { share: Math.min(share, lowered), reason: failing ? 'origin-failing' : 'origin-slow' };
  }
  if (share >= 1) return { share: 1, reason: 'healthy' };
  const sinceMs = Math.min(raiseForMsMax, nowMs - (decidedAtMs ?? nowMs));
  return { share: Math.min(1, share + (config.stepPerSecond * sinceMs) / 1_000), reason: 'origin-recovering' };
}
