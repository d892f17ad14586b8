import { authErrors } from '../errors.ts';
import type { HashingLimits } from '../ports.ts';

/**
 * Lets a few sign-ins work at once, some wait, and refuses the rest. Each costs tens of milliseconds of a core, 19 MiB
 * and database connections, so ten thousand at once must become ten thousand quick refusals, not a process that died.
 */
export interface SignInGate {
  run<T>(work: () => Promise<T>): Promise<T>;
}

export function createSignInGate({ concurrentMax, waitingMax, waitMaxMs }: HashingLimits): SignInGate {
  let running = 0;
  const waiting = new Set<() => void>();

  function enter(): Promise<void> | undefined {
    if (running < concurrentMax) {
      running += 1;
      return undefined;
    }
    if (waiting.size >= waitingMax) throw authErrors.fault('SIGN_IN_BUSY');
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(wake);
        reject(authErrors.fault('SIGN_IN_BUSY'));
      }, waitMaxMs);
      const wake = () => {
        clearTimeout(timer);
        waiting.delete(wake);
        resolve();
      };
      waiting.add(wake);
    });
  }

  /** Hands the place on to the one who waits longest, so that nobody can slip in between. */
  function leave(): void {
    const [next] = waiting;
    if (next === undefined) running -= 1;
    else next();
  }

  return {
    async run(work) {
      await enter();
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
