import { isFault } from '../errors.ts';
import { driverFailureIn, failureKind } from '../postgres/failure.ts';

/**
 * Which engine's fault a handler's failure is, if any.
 * `away`: an engine cannot be reached. It is waited for without limit: a database that is down for an hour must not empty a
 * topic into the dead letters. Of PostgreSQL that is said only where it was away before the handler was called.
 * `cut`: the database had just answered, and under the handler its connection broke, fell silent or was refused.
 * `conflict`: another transaction was in the way. Both are tried again, but not for ever: a handler that does this each
 * time is itself the cause.
 */
export type EngineFault = 'away' | 'cut' | 'conflict';

/**
 * Null: it is the message's fault or the handler's. That is so for every error that did not come out of one of our own
 * engine calls, however much it looks like one (`code: 'ENOTFOUND'`), and for a statement that ran into its time limit.
 */
export function engineFaultOf(thrown: unknown): EngineFault | null {
  const failure = driverFailureIn(thrown);
  if (failure === undefined) return isEngineAway(thrown) ? 'away' : null;
  switch (failureKind(failure)) {
    case 'contention':
      return 'conflict';
    case 'unavailable':
      return 'cut';
    case 'other':
      return null;
  }
}

const causesMax = 5;

/** The adapters of Redis and the bus throw these. */
function isEngineAway(thrown: unknown): boolean {
  let at = thrown;
  try {
    for (let depth = 0; depth <= causesMax && at instanceof Error; depth++) {
      if (isFault(at) && at.definition.status === 503) return true;
      at = at.cause;
    }
  } catch {
    // A Proxy or a getter threw: not one of ours.
  }
  return false;
}
