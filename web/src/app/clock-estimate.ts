/** One question to the server for its time. All in milliseconds; the first two by the page's own clock. */
export interface Sample {
  readonly sentAt: number;
  readonly receivedAt: number;
  readonly serverAt: number;
}

export interface ClockEstimate {
  /** Add this to the page's clock to get the server's. */
  readonly offsetMs: number;
  /** The truth lies within this distance. */
  readonly errorMs: number;
}

/**
 * The server read its clock somewhere between our question and its answer, so the middle is wrong by at most half the
 * round trip. The quickest of several round trips is therefore the best witness, and the others are not averaged in.
 */
export function estimateClock(samples: readonly Sample[]): ClockEstimate {
  let best: ClockEstimate = { offsetMs: 0, errorMs: Number.POSITIVE_INFINITY };
  for (const { sentAt, receivedAt, serverAt } of samples) {
    const errorMs = (receivedAt - sentAt) / 2;
    if (errorMs < best.errorMs) best = { offsetMs: serverAt - (sentAt + errorMs), errorMs };
  }
  return best;
}
