import { type Flusher, flusherKeptMs, flushersMax, outageMs } from '../../ports.ts';
import type { EventState } from './event-state.ts';

/** What `Flusher` says. */
export function noteFlush(state: EventState, { id, isLeaving = false }: Flusher, nowMs: number): void {
  const { flushers } = state;
  if (isSilent(flushers.get(id) ?? nowMs, nowMs)) {
    state.seenFloorMs = nowMs;
    if (areAllSilent(state, nowMs)) state.outageFloorMs = nowMs;
  }
  flushers.delete(id);
  if (!isLeaving) flushers.set(id, nowMs);
  for (const mostSilent of flushers.keys()) {
    if (flushers.size <= flushersMax) break;
    flushers.delete(mostSilent);
  }
}

/** Forgets those that were silent for too long, but never the last one that said anything. */
export function hasSilentFlusher({ flushers }: EventState, nowMs: number): boolean {
  const lastWordMs = Math.max(...flushers.values());
  for (const [id, atMs] of flushers) if (nowMs - atMs > flusherKeptMs && atMs < lastWordMs) flushers.delete(id);
  return [...flushers.values()].some((atMs) => isSilent(atMs, nowMs));
}

export function areAllSilent({ flushers }: EventState, nowMs: number): boolean {
  return flushers.size > 0 && isSilent(Math.max(...flushers.values()), nowMs);
}

function isSilent(lastWordMs: number, nowMs: number): boolean {
  return nowMs - lastWordMs > outageMs;
}
