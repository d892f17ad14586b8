import type { Job } from '#platform/module.ts';
import type { AuthDeps } from '../ports.ts';
import {
  type DueErasure,
  finishErasure,
  noteErasedIn,
  retryErasure,
  takeDueErasures,
  waitForAccessToEnd,
} from '../storage/erasures.ts';

const everyMs = 2_000;
const erasuresPerRun = 20;
/** Longer than one pass takes: every call has a limit of its own. */
const leaseMs = 60_000;
const firstRetryMs = 5_000;
const retryMaxMs = 10 * 60_000;
/** From then on a person should look why. Some hours of retries. */
const triesToComplain = 30;

/**
 * Tells the other modules to forget whom auth has forgotten: once at once, so that nothing new begins, and once after the last access
 * token is over, which counts. They are asked in their order and the first that is away or not ready ends the pass: where money goes back
 * to is forgotten only after it went. Safe to run in every process, and to be killed anywhere.
 */
export function erasuresJob({ database, keepers, logger }: Pick<AuthDeps, 'database' | 'keepers' | 'logger'>): Job {
  /** Whether every module has forgotten the user. */
  async function pass({ userId, erasedIn, isAccessOver }: DueErasure): Promise<boolean> {
    for (const { module, calls } of keepers) {
      if (erasedIn.includes(module)) continue;
      const { erased } = await calls.eraseUser({ userId });
      if (!erased) return false;
      if (isAccessOver) await noteErasedIn(database, { userId, module });
    }
    return true;
  }

  async function advance(erasure: DueErasure): Promise<void> {
    const { userId, isAccessOver, tries } = erasure;
    const isThrough = await pass(erasure).catch((error: unknown) => {
      const level = tries >= triesToComplain ? 'error' : 'info';
      logger[level]({ err: error, userId, tries }, 'an account is not erased everywhere yet; it is tried again');
      return false;
    });
    if (!isThrough) {
      await retryErasure(database, { userId, afterMs: Math.min(firstRetryMs * 2 ** Math.min(tries, 20), retryMaxMs) });
    } else if (isAccessOver) {
      await finishErasure(database, userId);
      logger.info({ userId }, 'an account is erased');
    } else {
      await waitForAccessToEnd(database, userId);
    }
  }

  return {
    name: 'auth-erasures',
    everyMs,
    async run(signal) {
      for (const erasure of await takeDueErasures(database, { limit: erasuresPerRun, leaseMs })) {
        if (signal.aborted) return;
        await advance(erasure);
      }
    },
  };
}
