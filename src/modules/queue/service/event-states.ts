import { isFault, platformErrors } from '#platform/errors.ts';
import { withTimeout } from '#platform/resilience/timeout.ts';
import { type EventStates, type Fence, type LateChange, type Lost, mergeMax } from '../ports.ts';
import { createRecentChanges } from './recent-changes.ts';
import { createRecovery, type Recovery, type RecoveryDeps } from './recovery.ts';

export interface RecoverableEventStates extends EventStates, Pick<Recovery, 'catchUp'> {
  /** `Recovery.replace`. */
  replace(eventId: string, epoch: number): Promise<void>;
  /** These changes of an epoch that is over never reached the journal: they are added to the epoch that is there now. */
  addLate(eventId: string, epoch: number, changes: readonly LateChange[]): void;
}

/** Tries of one call, each after a recovery. */
const triesMax = 3;
/** A request waits this long for a recovery and is then told to come again; the recovery goes on. */
const callerWaitMs = 3_000;

export function createEventStates(deps: RecoveryDeps): RecoverableEventStates {
  const { store, clock, logger } = deps;
  const recent = createRecentChanges({ clock });
  const recovery = createRecovery(deps);
  const underWay = new Map<string, Promise<void>>();

  /** Many requests of one process find the state lost at once; one recovery serves them all. */
  function once(eventId: string, recover: Recovery['mend']): Promise<void> {
    const running = underWay.get(eventId);
    if (running !== undefined) return running;
    const started = recover(eventId)
      .then((epoch) => (epoch === null ? undefined : bringLate(eventId, epoch)))
      .finally(() => underWay.delete(eventId));
    underWay.set(eventId, started);
    started.catch((error: unknown) => logger.warn({ err: error, eventId }, 'a queue was not brought back'));
    return started;
  }

  /** What this process was told in epochs before this one and the journal may never have heard of. */
  async function bringLate(eventId: string, epoch: number): Promise<void> {
    const late = recent.takeBefore(eventId, epoch);
    for (let from = 0; from < late.length; from += mergeMax) {
      const changes = late.slice(from, from + mergeMax);
      try {
        const answer = await store.merge({ eventId, epoch, changes });
        if (!('merged' in answer && answer.merged)) throw new Error('the epoch is over, too');
        logger.warn({ eventId, epoch, changes: changes.length }, 'changes of a lost epoch were added to this one');
      } catch (error) {
        // Brought again with the next answer of the store.
        recent.note(eventId, epoch - 1, late.slice(from));
        logger.warn({ err: error, eventId, epoch }, 'changes of a lost epoch could not be added yet');
        return;
      }
    }
  }

  async function asking<Result>(
    eventId: string,
    call: (fence: Fence) => Promise<Result | Lost>,
  ): Promise<Exclude<Result, Lost>> {
    for (let tried = 0; tried < triesMax; tried++) {
      const result = await call(unfenced);
      // Not lost, as just checked; the compiler does not narrow a type parameter.
      if (!isLost(result)) return result as Exclude<Result, Lost>;
      await whileCallerWaits(once(eventId, recovery.recover));
    }
    throw notBack(new Error(`the state of event ${eventId} was lost ${triesMax} times in a row`));
  }

  return {
    async withState(eventId, call, changed) {
      const result = await asking(eventId, call);
      const epoch = epochOf(result);
      if (epoch === null) return result;
      if (changed !== undefined) recent.note(eventId, epoch, changed(result));
      // Another process brought the event back, and could not know what this one knows. It never rejects.
      void bringLate(eventId, epoch);
      return result;
    },

    suspectLoss: (eventId) => once(eventId, recovery.mend).catch((error: unknown) => Promise.reject(notBack(error))),

    addLate: recent.note,
    catchUp: recovery.catchUp,
    replace: (eventId, epoch) => once(eventId, () => recovery.replace(eventId, epoch)),
  };
}

/** Where no server can be superseded unnoticed; `fencedBy` puts another one in its place. */
const unfenced: Fence = { mayGrant: async () => true };

/** STORE_UNAVAILABLE when it fails, or takes longer than a caller waits; it goes on all the same. */
export async function whileCallerWaits<Result>(back: Promise<Result>): Promise<Result> {
  try {
    return await withTimeout(back, callerWaitMs, () => new Error('it takes longer than usual'));
  } catch (error) {
    throw notBack(error);
  }
}

function isLost(result: unknown): result is Lost {
  return typeof result === 'object' && result !== null && 'status' in result && result.status === 'lost';
}

function epochOf(result: unknown): number | null {
  if (typeof result !== 'object' || result === null || !('epoch' in result)) return null;
  return typeof result.epoch === 'number' ? result.epoch : null;
}

function notBack(cause: unknown): Error {
  if (isFault(cause, 'STORE_UNAVAILABLE')) return cause;
  return platformErrors.fault('STORE_UNAVAILABLE', { detail: 'The queue is being brought back.', cause });
}
