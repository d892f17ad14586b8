const lookEveryMs = 5_000;
/** A timer that comes so late on a page that is looked at: the whole machine was asleep. */
const sleptMs = 20_000;

/** Calls back when somebody looks at the page again, the network returns, or the machine wakes. Returns how to stop. */
export function onWake(wake: () => void): () => void {
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
  addEventListener('online', wake);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', onVisible);
    removeEventListener('pageshow', onVisible);
    removeEventListener('online', wake);
  };
}
