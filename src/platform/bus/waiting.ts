/** A flag that loops sleep on. A notice that comes while nobody sleeps is kept, so none is lost between a look and a sleep. */
export interface Wake {
  notify(): void;
  /** Returns after a notice, after `ms`, or when the signal aborts, whichever is first. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export function createWake(): Wake {
  let noticed = false;
  let wakeSleeper: (() => void) | null = null;
  return {
    notify() {
      noticed = true;
      wakeSleeper?.();
    },
    async wait(ms, signal) {
      if (!noticed && !signal.aborted) {
        await new Promise<void>((resolve) => {
          const done = () => {
            clearTimeout(timer);
            signal.removeEventListener('abort', done);
            wakeSleeper = null;
            resolve();
          };
          const timer = setTimeout(done, ms);
          signal.addEventListener('abort', done);
          wakeSleeper = done;
        });
      }
      noticed = false;
    },
  };
}

/** Like a timer, but returns at once when the signal aborts. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return createWake().wait(ms, signal);
}

/** Doubles from `baseMs` with each failure in a row, up to `maxMs`. */
export function backoffMs(failuresInRow: number, limits: { baseMs: number; maxMs: number }): number {
  return Math.min(limits.maxMs, limits.baseMs * 2 ** Math.min(failuresInRow - 1, 20));
}

/** Waits for the work, but not for ever: at shutdown the process must go. Says whether the work was done in time. */
export async function settledWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const timeout = new AbortController();
  const settled = work.then(
    () => true,
    () => true,
  );
  const late = sleep(ms, timeout.signal).then(() => false);
  const result = await Promise.race([settled, late]);
  timeout.abort();
  return result;
}
