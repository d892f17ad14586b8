import { setTimeout as delay } from 'node:timers/promises';
import type { AuditEntry } from '#platform/audit/port.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import type { Cleared, EventStates, LastPlaces, QueueStore } from '../ports.ts';
import type { Snapshots } from './snapshots.ts';

/** So many that the store is busy with them for a few milliseconds. */
const batchSize = 200;
/** Between two batches the store serves others. */
const pauseMs = 10;
/** Ten million places; a queue that is longer is cleared by asking again. */
const batchesMax = 50_000;
/** Before anyone who asked gives up: a gateway in another process waits for 5 s. */
const answerWithinMs = 3_000;

export interface Clearing<Actor> {
  /**
   * Ends the places that are there now; anyone who enters from now on stays. `more`: it takes longer and goes on here. Until it
   * has ended a further call waits for the same clearing, and is told the same.
   */
  clear(eventId: string, actor: Actor): Promise<{ cleared: number; more: boolean }>;
  /** After the batch that is under way nothing more is cleared. */
  stop(): Promise<void>;
}

interface Run {
  readonly begun: Promise<unknown>;
  readonly ended: Promise<void>;
  readonly progress: Progress;
}

interface Progress {
  cleared: number;
  left: number;
}

/**
 * Clears queues in small steps:
 *
 *   take the last place ─▶ write down what begins ─▶ a batch, a pause, a batch … ─▶ write down what was done
 *
 * What cannot be written down does not begin. Should the process die on the way, it is written down how far the clearing was
 * to go, and the call can be repeated for those who are left.
 */
export function createClearing<Actor extends { readonly userId: string }>(deps: {
  store: Pick<QueueStore, 'clear'>;
  states: Pick<EventStates, 'withState'>;
  snapshots: Pick<Snapshots, 'get' | 'refresh'>;
  logger: Logger;
  record: (actor: Actor, act: Pick<AuditEntry, 'action' | 'subject' | 'before' | 'after'>) => Promise<void>;
  answerWithinMs?: number;
}): Clearing<Actor> {
  const { store, states, snapshots, logger, record } = deps;
  const runs = new Map<string, Run>();
  let isStopping = false;

  const step = (eventId: string, call: { limit: number; upTo?: LastPlaces }) =>
    states.withState<Cleared>(eventId, () => store.clear({ eventId, ...call }));

  function start(eventId: string, actor: Actor): Run {
    const progress: Progress = { cleared: 0, left: 0 };
    const begun = begin(eventId, actor, progress);
    const ended = begun
      .then((upTo) => clearAll(eventId, { actor, upTo, progress }))
      .finally(() => runs.delete(eventId));
    // Anyone who still waits is told of a failure; nobody may, and then the log has it.
    ended.catch(() => undefined);
    const run = { begun, ended, progress };
    runs.set(eventId, run);
    return run;
  }

  async function begin(eventId: string, actor: Actor, progress: Progress): Promise<LastPlaces> {
    await snapshots.get(eventId);
    const { left, upTo } = await step(eventId, { limit: 0 });
    const before = { places: left, upTo };
    await record(actor, { action: 'queue.clear.begin', subject: eventId, before, after: null });
    progress.left = left;
    return upTo;
  }

  async function clearAll(eventId: string, run: { actor: Actor; upTo: LastPlaces; progress: Progress }): Promise<void> {
    const { actor, progress } = run;
    try {
      await clearBatches(eventId, run.upTo, progress);
    } catch (error) {
      logger.error({ err: error, eventId, userId: actor.userId, ...progress }, 'a queue was cleared in part only');
      // It is no reason to hide why the clearing failed; how far it was to go is written down already.
      await recordEnd(eventId, actor, progress).catch(() => undefined);
      throw error;
    }
    await recordEnd(eventId, actor, progress);
    await snapshots.refresh(eventId);
    logger.warn({ eventId, userId: actor.userId, ...progress }, 'an operator cleared a queue');
  }

  async function clearBatches(eventId: string, upTo: LastPlaces, progress: Progress): Promise<void> {
    for (let batch = 0; batch < batchesMax && progress.left > 0 && !isStopping; batch++) {
      if (batch > 0) await delay(pauseMs);
      const { cleared, left } = await step(eventId, { limit: batchSize, upTo });
      progress.cleared += cleared;
      progress.left = left;
    }
  }

  async function recordEnd(eventId: string, actor: Actor, progress: Progress): Promise<void> {
    const after = { ...progress };
    try {
      await record(actor, { action: 'queue.clear', subject: eventId, before: null, after });
    } catch (error) {
      logger.error({ err: error, eventId, userId: actor.userId, ...after }, 'the end of a clearing was not audited');
      throw error;
    }
  }

  return {
    async clear(eventId, actor) {
      const answerAt = performance.now() + (deps.answerWithinMs ?? answerWithinMs);
      const { begun, ended, progress } = runs.get(eventId) ?? start(eventId, actor);
      await begun;
      const untilLate = Math.max(0, answerAt - performance.now());
      await Promise.race([ended, delay(untilLate, undefined, { ref: false })]);
      return { cleared: progress.cleared, more: progress.left > 0 };
    },
    async stop() {
      isStopping = true;
      await Promise.allSettled([...runs.values()].map(({ ended }) => ended));
    },
  };
}
