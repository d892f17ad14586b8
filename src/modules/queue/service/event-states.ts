import { isFault, platformErrors } from '#platform/errors.ts';
import { withTimeout } from '#platform/resilience/timeout.ts';
import type { EventStates, Lost } from '../ports.ts';
import { inParallel } from './in-parallel.ts';
import { createRecentSlots, type LateChanges } from './recent-slots.ts';
import { createRecovery, type RecoveryDeps } from './recovery.ts';

export interface RecoverableEventStates extends EventStates {
  /**
   * Changes of an epoch that is over, still in this process's hands. They are written, and if the journal did not have
   * them the store is loaded once more with them.
   */
  salvage(eventId: string, late: LateChanges): Promise<void>;
}

/** Tries of one call, each after a recovery. */
const triesMax = 3;
/** A request waits this long for a recovery and is then told to come again; the recovery goes on. */
const callerWaitMs = 3_000;
const eventsKnownMax = 10_000;
const recoveriesAtOnce = 4;

export function createEventStates(deps: RecoveryDeps): RecoverableEventStates {
  const { store, clock, logger } = deps;
  const recent = createRecentSlots({ clock });
  const recovery = createRecovery({ ...deps, recent });
  const underWay = new Map<string, Promise<void>>();
  const touched = new Set<string>();

  /** Many requests of one process find the state lost at once; one recovery serves them all. */
  function recoverOnce(eventId: string): Promise<void> {
    const running = underWay.get(eventId);
    if (running !== undefined) return running;
    const started = recovery.recover(eventId).finally(() => underWay.delete(eventId));
    underWay.set(eventId, started);
    started.catch((error: unknown) => logger.warn({ err: error, eventId }, 'a queue was not brought back'));
    return started;
  }

  /** The epoch changed under this process: slots that it saw just before may have died unwritten with the old one. */
  function notice(eventId: string, result: unknown): void {
    const late = recent.notice(eventId, result);
    if (late === null) return;
    recovery
      .salvage(eventId, late)
      .catch((error: unknown) => logger.error({ err: error, eventId, late }, 'slots of a lost epoch were not saved'));
  }

  return {
    async withState<Result>(eventId: string, call: () => Promise<Result | Lost>): Promise<Exclude<Result, Lost>> {
      remember(touched, eventId);
      for (let tried = 0; tried < triesMax; tried++) {
        const result = await call();
        if (!isLost(result)) {
          notice(eventId, result);
          // Not lost, as just checked; the compiler does not narrow a type parameter.
          return result as Exclude<Result, Lost>;
        }
        const back = withTimeout(recoverOnce(eventId), callerWaitMs, () => new Error('it takes longer than usual'));
        await back.catch((error: unknown) => Promise.reject(notBack(error)));
      }
      throw notBack(new Error(`the state of event ${eventId} was lost ${triesMax} times in a row`));
    },

    async suspectLoss() {
      const suspects = new Set([...touched, ...(await store.activeEvents())]);
      const failures: unknown[] = [];
      await inParallel([...suspects], recoveriesAtOnce, (eventId) =>
        recoverOnce(eventId).catch((error: unknown) => void failures.push(error)),
      );
      if (failures.length > 0) throw notBack(new AggregateError(failures, `${failures.length} queues are not back`));
    },

    salvage: recovery.salvage,
  };
}

function isLost(result: unknown): result is Lost {
  return typeof result === 'object' && result !== null && 'status' in result && result.status === 'lost';
}

function notBack(cause: unknown): Error {
  if (isFault(cause, 'STORE_UNAVAILABLE')) return cause;
  return platformErrors.fault('STORE_UNAVAILABLE', { detail: 'The queue is being brought back.', cause });
}

function remember(events: Set<string>, eventId: string): void {
  if (events.has(eventId)) return;
  const [oldest] = events;
  if (events.size >= eventsKnownMax && oldest !== undefined) events.delete(oldest);
  events.add(eventId);
}
