import { watchParent } from './parent-watch.ts';

export interface Stopping {
  /** Resolves with the reason when this process should stop. */
  readonly asked: Promise<string>;
  stop(reason: string): void;
}

/**
 * SIGINT, SIGTERM or the death of whoever started us ask for a clean stop; a second signal ends the process at once,
 * for a person who does not want to wait.
 */
export function stopOnSignals(): Stopping {
  const { promise, resolve } = Promise.withResolvers<string>();
  let asked = false;
  const stop = (reason: string) => {
    asked = true;
    resolve(reason);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (asked) process.exit(1);
      stop(signal);
    });
  }
  void watchParent(stop);
  return { asked: promise, stop };
}
