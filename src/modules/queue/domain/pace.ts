/**
 * How fast people are let in. `fixed`: the same batch at the same interval. `adaptive`: at short intervals while slots are
 * free, at long ones while the house is full. With a closed loop the batch follows how the origin is doing.
 */
export interface PaceConfig {
  readonly mode: 'fixed' | 'adaptive';
  readonly intervalMs: number;
  /** Adaptive only. */
  readonly shortIntervalMs: number;
  readonly longIntervalMs: number;
  readonly batch: number;
  readonly closedLoop: ClosedLoopConfig | null;
}

export interface ClosedLoopConfig {
  readonly p95TargetMs: number;
  readonly errorRateTarget: number;
  /** Never below this share of the batch: a queue that stands still is no protection but an outage. */
  readonly shareMin: number;
}

export interface OriginHealth {
  readonly p95Ms: number;
  readonly errorRate: number;
}

/** What is carried from one decision to the next. */
export interface PaceState {
  /** Share of the batch that the origin bears, 0…1. */
  readonly share: number;
  /** Smoothed share of admitted people who do not come, 0…1. */
  readonly noShowRate: number;
}

export interface PaceInputs {
  readonly free: number;
  readonly waiting: number;
  /** Since the decision before. */
  readonly admitted: number;
  readonly noShows: number;
  readonly origin: OriginHealth | null;
}

export interface PaceDecision {
  readonly state: PaceState;
  readonly intervalMs: number;
  readonly batch: number;
  readonly reason: 'fixed' | 'slots-free' | 'full' | 'origin-slow' | 'origin-failing' | 'origin-recovering';
}

export const paceAtStart: PaceState = { share: 1, noShowRate: 0 };

const decrease = 0.5;
const increase = 0.05;
/** Weight of one newly admitted batch against what is known already. */
const noShowSmoothing = 0.1;
/** However many stay away, at most twice as many are let in: they might all come after all. */
const noShowRateMax = 0.5;

export function decidePace(config: PaceConfig, state: PaceState, inputs: PaceInputs): PaceDecision {
  const { closedLoop } = config;
  const noShowRate = smoothNoShows(state.noShowRate, inputs);
  if (closedLoop === null) {
    return { state: { share: 1, noShowRate }, batch: config.batch, ...interval(config, inputs) };
  }
  const { share, verdict } = nextShare(closedLoop, state.share, inputs.origin);
  const batch = Math.max(1, Math.round((config.batch * share) / (1 - Math.min(noShowRate, noShowRateMax))));
  const timing = interval(config, inputs);
  return { state: { share, noShowRate }, batch, intervalMs: timing.intervalMs, reason: verdict ?? timing.reason };
}

function interval(config: PaceConfig, { free, waiting }: PaceInputs): Pick<PaceDecision, 'intervalMs' | 'reason'> {
  if (config.mode === 'fixed') return { intervalMs: config.intervalMs, reason: 'fixed' };
  return free > 0 && waiting > 0
    ? { intervalMs: config.shortIntervalMs, reason: 'slots-free' }
    : { intervalMs: config.longIntervalMs, reason: 'full' };
}

type Verdict = Extract<PaceDecision['reason'], `origin-${string}`>;

/** Additive increase, multiplicative decrease. Without news from the origin the share stays where it is. */
function nextShare(
  loop: ClosedLoopConfig,
  share: number,
  origin: OriginHealth | null,
): { share: number; verdict: Verdict | null } {
  if (origin === null) return { share, verdict: null };
  const lowered = Math.max(loop.shareMin, share * decrease);
  if (origin.errorRate > loop.errorRateTarget) return { share: lowered, verdict: 'origin-failing' };
  if (origin.p95Ms > loop.p95TargetMs) return { share: lowered, verdict: 'origin-slow' };
  if (share >= 1) return { share: 1, verdict: null };
  return { share: Math.min(1, share + increase), verdict: 'origin-recovering' };
}

function smoothNoShows(rate: number, { admitted, noShows }: PaceInputs): number {
  const settled = Math.max(admitted, noShows);
  if (settled === 0) return rate;
  return rate + noShowSmoothing * (noShows / settled - rate);
}
