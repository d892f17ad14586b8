import type { Clock } from '../clock.ts';

/** Remembers which signatures were used, for as long as they could be used again. */
export interface ReplayGuard {
  /** False: it was used before, or is so old that this may have been forgotten. */
  firstUse(signature: string, signedAtMs: number): boolean;
}

/**
 * Two generations, so that forgetting costs nothing: the older one is dropped when the younger has lasted twice the time
 * for which a signature is valid (it may have been made that long before or after this clock), or is full. What is dropped for
 * being full is refused by its time from then on, so that nothing is accepted twice however much comes.
 */
export function createReplayGuard(options: { clock: Clock; validMs: number; generationMax: number }): ReplayGuard {
  const { clock, validMs, generationMax } = options;
  let younger = aGeneration(clock.now());
  let older = aGeneration(clock.now());
  let refusedUntilMs = Number.NEGATIVE_INFINITY;

  function turnOver(nowMs: number): void {
    const isFull = younger.used.size >= generationMax;
    // A clock that was set back must not keep a generation for ever.
    if (!isFull && nowMs - younger.sinceMs < 2 * validMs && nowMs >= younger.sinceMs) return;
    if (isFull) refusedUntilMs = Math.max(refusedUntilMs, older.newestMs);
    older = younger;
    younger = aGeneration(nowMs);
  }

  return {
    firstUse(signature, signedAtMs) {
      const nowMs = clock.now();
      turnOver(nowMs);
      // The clocks were set back since: that limit is of a time to come, and would refuse everybody until then.
      if (refusedUntilMs > nowMs + validMs) refusedUntilMs = Number.NEGATIVE_INFINITY;
      if (signedAtMs <= refusedUntilMs || younger.used.has(signature) || older.used.has(signature)) return false;
      younger.used.add(signature);
      if (signedAtMs > younger.newestMs) younger.newestMs = signedAtMs;
      return true;
    },
  };
}

interface Generation {
  readonly used: Set<string>;
  readonly sinceMs: number;
  newestMs: number;
}

function aGeneration(sinceMs: number): Generation {
  return { used: new Set(), sinceMs, newestMs: Number.NEGATIVE_INFINITY };
}
