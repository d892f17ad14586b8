/**
 * How many wrong passwords are forgiven before waiting begins, and how the wait grows: `firstWaitMs`, doubled with every
 * further failure, never above `waitMaxMs`.
 *
 * Three counters. The narrow one is (email, address): it stops a guesser quickly and hurts nobody elsewhere. The wide one
 * is the email alone: it stops a guesser with many addresses, later and more slowly. An address from which the user has
 * signed in before is exempt from the wide one. A browser that has signed in to the account before is counted by itself,
 * so strangers cannot lock it out wherever it is; when its own counter is full it is a stranger as well. Who comes with a
 * new browser from a new address waits at most 15 minutes at a time.
 */
export interface AttemptLimit {
  readonly free: number;
  readonly firstWaitMs: number;
  readonly waitMaxMs: number;
  /** Attempts that may be under way at once: the most that a burst can test beyond the limit. */
  readonly pendingMax: number;
}

export interface SignInLimits {
  readonly pair: AttemptLimit;
  readonly email: AttemptLimit;
  readonly device: AttemptLimit;
  /** After this long without an attempt the failures are forgotten. */
  readonly forgetMs: number;
  /** How long an address stays known after a sign-in. */
  readonly knownMs: number;
  /** No attempt takes longer; older pending ones belong to a process that died. */
  readonly pendingMs: number;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

export const signInLimits: SignInLimits = {
  pair: { free: 5, firstWaitMs: 5_000, waitMaxMs: 15 * minuteMs, pendingMax: 32 },
  email: { free: 50, firstWaitMs: minuteMs, waitMaxMs: 15 * minuteMs, pendingMax: 128 },
  device: { free: 5, firstWaitMs: 5_000, waitMaxMs: 15 * minuteMs, pendingMax: 32 },
  forgetMs: dayMs,
  knownMs: 90 * dayMs,
  pendingMs: minuteMs,
};
