/**
 * How many wrong passwords are forgiven before waiting begins, and how the wait grows: `firstWaitMs`, doubled with every
 * further failure, never above `waitMaxMs`.
 *
 * Two counters. The narrow one is (email, address): it stops a guesser quickly and hurts nobody elsewhere. The wide one
 * is the email alone: it stops a guesser with many addresses, later and more slowly. An address from which the user has
 * signed in before is exempt from the wide one, so strangers cannot lock a user out of the places they sign in from;
 * from elsewhere the wait is at most 15 minutes.
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
  forgetMs: dayMs,
  knownMs: 90 * dayMs,
  pendingMs: minuteMs,
};
