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

export const closedPollMs = 10_000;
/** Everybody's page reaches the opening at once; their questions are spread over this long. */
const openingSpreadMs = 2_000;
const openingPollMs = 1_000;
/** The server's clock may be a little behind what the page takes it for: so long after the opening the page asks again quickly. */
const openingGraceMs = 60_000;

/** Before the opening: at the opening. Otherwise as often as told, since an operator may open again. */
export function closedDelayMs(facts: {
  readonly nextPoll: number | null | undefined;
  readonly opensAtMs: number | null;
  readonly nowMs: number;
  readonly random: number;
}): number {
  const { nextPoll, opensAtMs, nowMs, random } = facts;
  const untilOpeningMs = (opensAtMs ?? 0) - nowMs;
  if (opensAtMs === null || untilOpeningMs <= -openingGraceMs) return Math.max(pollDelayMs(nextPoll), closedPollMs);
  return Math.min(60_000, Math.max(openingPollMs, untilOpeningMs) + random * openingSpreadMs);
}
