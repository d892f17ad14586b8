/** The one way to read the time. Handed in as a dependency, so that tests and the simulator own it. */
export interface Clock {
  /** Milliseconds since the epoch: for times that are stored, shown, or compared with such. An operator or NTP may set it back. */
  now(): number;
  /** Milliseconds since some moment of this process, never set back: for ages and for what is due. Means nothing elsewhere. */
  monotonicMs(): number;
}

export const systemClock: Clock = { now: () => Date.now(), monotonicMs: () => performance.now() };

export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
