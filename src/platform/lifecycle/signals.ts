import { watchParent } from './parent-watch.ts';

export interface Stopping {
  /** Resolves with the reason when this process should stop. */
  readonly asked: Promise<string>;
  /** The same, for what can be given up. */
  readonly signal: AbortSignal;
  stop(reason: string): void;
}

/**
 * One Ctrl-C comes several times: from the terminal to the whole group, and again from a parent that passes it on. A
 * service manager does the same with SIGTERM. Only what comes later than this is somebody who asks again.
 */
const oneRequestMs = 1_000;

/**
 * SIGINT, SIGTERM, SIGHUP (the terminal was closed) or the death of the process that started us ask for a clean stop; to ask again ends the process at once, for a
 * person who does not want to wait.
 */
export function stopOnSignals(): Stopping {
  const { promise, resolve } = Promise.withResolvers<string>();
  const abort = new AbortController();
  let askedAt: number | null = null;
  const stop = (reason: string) => {
    askedAt ??= performance.now();
    resolve(reason);
    abort.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (askedAt !== null && performance.now() - askedAt > oneRequestMs) process.exit(1);
      stop(signal);
    });
  }
  void watchParent(stop);
  return { asked: promise, signal: abort.signal, stop };
}
