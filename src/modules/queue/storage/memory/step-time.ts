import { type AdmitCall, flusherKeptMs, outageMs } from '../../ports.ts';
import type { EventState } from './event-state.ts';
import { areAllSilent, hasSilentFlusher } from './flushers.ts';

/**
 * What time means between the steps of admission. While steps or flushes stopped, signs of life may have been lost: absence
 * counts only from `seenFloorMs` on. The time to claim a slot stands still while there are no steps, for then nobody can
 * claim, and goes on evenly when the clock is set back.
 */
export function noteStep(state: EventState, call: AdmitCall, nowMs: number): void {
  const { tickAtMs } = state;
  const sinceMs = nowMs - (tickAtMs ?? state.seenFloorMs);
  const backMs = tickAtMs !== null && -sinceMs > outageMs ? -sinceMs : 0;
  if (backMs > 0) setBack(state, backMs, nowMs);
  const paused = sinceMs > (call.outageMs ?? outageMs);
  if (paused) state.claimsStoodMs += sinceMs;
  const isOutage = tickAtMs === null || paused || backMs > 0 || areAllSilent(state, nowMs);
  const mayHaveMissed = hasSilentFlusher(state, nowMs) || isOutage;
  state.outageFloorMs = isOutage ? nowMs : Math.min(state.outageFloorMs, nowMs);
  state.seenFloorMs = mayHaveMissed ? nowMs : Math.min(state.seenFloorMs, nowMs);
  state.tickAtMs = nowMs;
}

/** What was to end at a time, or began at one, of the clock before. Slots end by the clock, as their tokens do. */
function setBack(state: EventState, backMs: number, nowMs: number): void {
  state.claimsStoodMs -= backMs;
  state.recoveringUntilMs -= backMs;
  state.holdUntilMs -= backMs;
  for (const [id, atMs] of state.flushers) state.flushers.set(id, Math.min(atMs, nowMs));
}

/** The time by which claims are counted. */
export function claimTime(state: EventState, nowMs: number): number {
  return Math.max(nowMs, state.tickAtMs ?? 0) - state.claimsStoodMs;
}

/** Anyone who was last seen at this time or before has been away for so long; nobody, soon after an outage. */
export function latestBefore(state: EventState, forMs: number, nowMs: number): number {
  return nowMs - state.seenFloorMs >= forMs ? nowMs - forMs : Number.NEGATIVE_INFINITY;
}

/**
 * Who was last seen by then is absent. However often a process crashes, a minute longer than the usual time is enough; only
 * an outage of everything begins it anew.
 */
export function absentUntil(state: EventState, absentMs: number, nowMs: number): number {
  const goneMs = absentMs + flusherKeptMs;
  const isLongEnough = nowMs - state.outageFloorMs >= goneMs;
  return Math.max(latestBefore(state, absentMs, nowMs), isLongEnough ? nowMs - goneMs : Number.NEGATIVE_INFINITY);
}

/** A slot given by then, in `claimTime`, is claimed too late. Silent processes may have claims to tell, for a minute at most. */
export function lateUntil(state: EventState, claimMs: number, nowMs: number): number {
  const mayBeUntold = nowMs - state.seenFloorMs < claimMs;
  return claimTime(state, nowMs) - claimMs - (mayBeUntold ? flusherKeptMs : 0);
}

/** A sign of life that lies ahead is from before the clock was set back, which is when absence began to count anew. */
export function seenAt(state: EventState, seenAtMs: number, nowMs: number): number {
  return seenAtMs > nowMs ? state.outageFloorMs : seenAtMs;
}
