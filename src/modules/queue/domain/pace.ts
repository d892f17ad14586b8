import type { OriginShare } from './closed-loop.ts';

/**
 * How fast people are let in. `fixed`: the same batch at the same interval. `adaptive`: at short intervals while slots are
 * free, at long ones while the shop is full. With a closed loop the batch follows how the origin is doing.
 */
export interface PaceConfig {
  readonly mode: 'fixed' | 'adaptive';
  readonly intervalMs: number;
  /** Adaptive only. */
  readonly shortIntervalMs: number;
  readonly longIntervalMs: number;
  readonly batch: number;
}

/** What is carried from one decision to the next. */
export interface PaceState {
  /** Smoothed share of admitted people who do not come, 0…1. */
  readonly noShowRate: number;
}

export interface PaceInputs {
  readonly free: number;
  readonly waiting: number;
  /** Since the decision before. */
  readonly admitted: number;
  readonly noShows: number;
  /** Null: no closed loop. */
  readonly origin: OriginShare | null;
}

export interface PaceDecision {
  readonly state: PaceState;
  readonly intervalMs: number;
  readonly batch: number;
  readonly reason: 'fixed' | 'slots-free' | 'full';
}

export const paceAtStart: PaceState = { noShowRate: 0 };

/** Weight of one newly admitted batch against what is known already. */
const noShowSmoothing = 0.1;
/** However many stay away, at most twice as many are let in: they might all come after all. */
const noShowRateMax = 0.5;

export function decidePace(config: PaceConfig, state: PaceState, inputs: PaceInputs): PaceDecision {
  const noShowRate = smoothNoShows(state.noShowRate, inputs);
  return { state: { noShowRate }, batch: batchFor(config, inputs.origin, noShowRate), ...interval(config, inputs) };
}

/** The longest time between two steps of one event, while everything works. */
export function longestIntervalMs({ mode, intervalMs, longIntervalMs }: PaceConfig): number {
  return mode === 'fixed' ? intervalMs : longIntervalMs;
}

export function shortestIntervalMs({ mode, intervalMs, shortIntervalMs }: PaceConfig): number {
  return mode === 'fixed' ? intervalMs : shortIntervalMs;
}

function batchFor({ batch }: PaceConfig, origin: OriginShare | null, noShowRate: number): number {
  if (origin === null) return batch;
  return Math.max(1, Math.round((batch * origin.share) / (1 - Math.min(noShowRate, noShowRateMax))));
}

function interval(config: PaceConfig, { free, waiting }: PaceInputs): Pick<PaceDecision, 'intervalMs' | 'reason'> {
  if (config.mode === 'fixed') return { intervalMs: config.intervalMs, reason: 'fixed' };
  return free > 0 && waiting > 0
    ? { intervalMs: config.shortIntervalMs, reason: 'slots-free' }
    : { intervalMs: config.longIntervalMs, reason: 'full' };
}

function smoothNoShows(rate: number, { admitted, noShows }: PaceInputs): number {
  const settled = Math.max(admitted, noShows);
  if (settled === 0) return rate;
  return rate + noShowSmoothing * (noShows / settled - rate);
}
