/** The fake's own time. It runs on with the machine's, or stands still; it can be put forward, never back. */
export interface FakeTime {
  now(): number;
  advance(ms: number): void;
  /** Resolves when that time has come; rejects when the signal says so. */
  until(atMs: number, signal: AbortSignal): Promise<void>;
}

interface Sleeper {
  readonly atMs: number;
  wake(): void;
}

const lookEveryMs = 50;

/** `standsAtMs`: it stands still there. Else it runs on. */
export function createFakeTime({ standsAtMs }: { standsAtMs?: number } = {}): FakeTime {
  let aheadMs = 0;
  const sleepers = new Set<Sleeper>();
  const now = () => (standsAtMs ?? Date.now()) + aheadMs;
  const wakeThoseDue = () => {
    for (const sleeper of sleepers) if (sleeper.atMs <= now()) sleeper.wake();
  };
  return {
    now,
    advance(ms) {
      if (ms < 0) throw new Error('time does not go back');
      aheadMs += ms;
      wakeThoseDue();
    },
    async until(atMs, signal) {
      if (atMs <= now()) return;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const sleeper = { atMs, wake: resolve };
      const stop = () => reject(signal.reason);
      const timer = setInterval(wakeThoseDue, lookEveryMs);
      sleepers.add(sleeper);
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
      try {
        await promise;
      } finally {
        clearInterval(timer);
        sleepers.delete(sleeper);
        signal.removeEventListener('abort', stop);
      }
    },
  };
}
