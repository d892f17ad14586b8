const lookEveryMs = 5_000;
/** A timer that comes so late on a page that is looked at: the whole machine was asleep. */
const sleptMs = 20_000;

export interface Wakers {
  /** Somebody looks at the page again, or the machine has slept. */
  wake(): void;
  /** The network returned, maybe as another one. */
  reconnect(): void;
}

/** Returns how to stop. */
export function watchWaking({ wake, reconnect }: Wakers): () => void {
  const isVisible = () => document.visibilityState === 'visible';
  const onVisible = () => {
    if (isVisible()) wake();
  };
  let lookedAtMs = Date.now();
  const timer = setInterval(() => {
    const before = lookedAtMs;
    lookedAtMs = Date.now();
    // Timers of hidden pages are late as a rule, and say nothing.
    if (lookedAtMs - before >= sleptMs && isVisible()) wake();
  }, lookEveryMs);
  document.addEventListener('visibilitychange', onVisible);
  addEventListener('pageshow', onVisible);
  addEventListener('online', reconnect);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', onVisible);
    removeEventListener('pageshow', onVisible);
    removeEventListener('online', reconnect);
  };
}
