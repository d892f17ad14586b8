import { hasTabLocks } from './tab-locks.ts';

const lockName = 'urr-queue-duty';

/**
 * Says whether this tab is to follow the queues. A tab that is looked at always does. Of the hidden ones only the one that
 * was looked at last does, so that ten tabs do not ask ten times; it holds a lock, which passes on when it is closed.
 * A tab that is looked at takes the lock from whichever has it: a phone may have put that one to sleep.
 *
 *   waiting ──looked at──▶ taking ──▶ held ──another tab is looked at──▶ waiting
 *      └────────────the holder was closed──▶┘
 */
export function watchTabDuty(hear: (onDuty: boolean) => void): void {
  // Without locks (old browsers, plain http) tabs know nothing of each other, and each follows for itself.
  if (!hasTabLocks) return;
  let state: 'waiting' | 'taking' | 'held' = 'waiting';
  let attempt = new AbortController();
  const isVisible = () => document.visibilityState === 'visible';

  function hold(): Promise<void> {
    state = 'held';
    hear(true);
    return new Promise(() => {});
  }

  function waitForLock(): void {
    state = 'waiting';
    hear(isVisible());
    const mine = new AbortController();
    attempt = mine;
    navigator.locks.request(lockName, { signal: mine.signal }, hold).catch(() => {
      // Either given up by this tab, which takes the lock instead, or taken by another one.
      if (!mine.signal.aborted) waitForLock();
    });
  }

  function look(): void {
    hear(isVisible() || state === 'held');
    if (!isVisible() || state !== 'waiting') return;
    attempt.abort();
    state = 'taking';
    navigator.locks.request(lockName, { steal: true }, hold).catch(waitForLock);
  }

  document.addEventListener('visibilitychange', look);
  if (isVisible()) look();
  else waitForLock();
}
