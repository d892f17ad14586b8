const defaultSeconds = 3;
const minSeconds = 1;
const maxSeconds = 60;
const failureFirstMs = 1_000;
const failureMaxMs = 20_000;

/** When to ask again: what the server said, within reason, whatever it said. */
export function pollDelayMs(nextPoll: number | null | undefined): number {
  const seconds = typeof nextPoll === 'number' && Number.isFinite(nextPoll) ? nextPoll : defaultSeconds;
  return Math.min(maxSeconds, Math.max(minSeconds, seconds)) * 1_000;
}

/** After the n-th failure in a row: longer each time, as long as the server asks, and never all together. */
export function failureDelayMs(failures: number, options: { retryAfterSeconds?: number; random: number }): number {
  const doubled = Math.min(failureMaxMs, failureFirstMs * 2 ** Math.max(0, failures - 1));
  const asked = Math.min(maxSeconds, options.retryAfterSeconds ?? 0) * 1_000;
  return Math.max(asked, doubled) * (1 + options.random / 2);
}
