import { setTimeout as delay } from 'node:timers/promises';
import { inParallel } from '#platform/concurrency/in-parallel.ts';
import type { Job } from '#platform/module.ts';
import { withTimeout } from '#platform/resilience/timeout.ts';
import { longestIntervalMs, type PaceConfig, shortestIntervalMs } from '../domain/pace.ts';
import type { QueueConfig, SavedSettings } from '../ports.ts';
import { createJournalWriter } from '../service/journal-writer.ts';
import type { AdmissionDeps } from './admission-deps.ts';
import { createEventAdmission } from './event-admission.ts';

/** All events on sale are looked at this often, so that no queue is orphaned when the hints are lost. */
const allEventsEveryMs = 10_000;
const eventsAtOnce = 4;
const lockMs = 4_000;
/** What takes longer goes on, and the next run finds it done: the other events must not wait for it. */
const mendWaitMs = 1_000;
/** A step out of turn waits for the one that is under way: some tens of milliseconds as a rule. */
const stepTriesMax = 10;
const stepRetryMs = 50;
/** However rarely people are admitted: what a lost store had not told the journal is forgotten. */
const journalEveryMs = 1_000;

export interface AdmissionJob extends Job {
  /** One step for this event now, out of turn: an operator made room and should not have to wait for the interval. */
  stepNow(eventId: string): Promise<void>;
}

/**
 * Lets people in. Any number of processes run it: anyone who takes an event's turn does the step, and the turn comes back
 * after the interval, so the pace is that of one process. Whether somebody may be admitted is decided in the store.
 */
export function createAdmissionJob(deps: AdmissionDeps): AdmissionJob {
  const { store, journal, states, watch, known, clock, ids, logger, config } = deps;
  const pace = deps.pace ?? fixedPace(config);
  const beatMs = Math.min(journalEveryMs, shortestIntervalMs(pace));
  const keepsBetween = longestIntervalMs(pace) > beatMs;
  const owner = ids.next();
  const admission = createEventAdmission({ ...deps, pace, beatMs, writer: createJournalWriter(deps) });
  let lookedAtAllMs = Number.NEGATIVE_INFINITY;

  /**
   * On a Cluster the hints may be on a node that is away or has lost them, and the queues of the other nodes go on: those in
   * which this process saw somebody are looked at all the same, and their hints are given again. But after its sale an event
   * may have left the store, and to look at it would bring it back: there only a hint counts.
   */
  async function activeEvents(): Promise<string[]> {
    try {
      const hinted = new Set(await store.activeEvents());
      const unhinted = admission.busyEvents().filter((eventId) => !hinted.has(eventId));
      await inParallel(unhinted, eventsAtOnce, (eventId) => hintAgain(eventId).catch(() => undefined));
      return [...hinted, ...unhinted.filter((eventId) => !known.isOver(eventId))];
    } catch (error) {
      logger.warn(
        { err: error },
        'the store does not say which queues are active; looking at all known here whose sale is not over',
      );
      return watch.events().filter((eventId) => !known.isOver(eventId));
    }
  }

  async function hintAgain(eventId: string): Promise<void> {
    if (!known.isOver(eventId)) return store.dropIdle(eventId);
    // The journal knows whether it was lost or taken out.
    await withTimeout(states.suspectLoss(eventId), mendWaitMs, () => new Error('it takes longer than usual'));
    await store.dropIdle(eventId);
    admission.forget(eventId);
  }

  async function queuesOnSale(): Promise<string[]> {
    if (clock.monotonicMs() - lookedAtAllMs < allEventsEveryMs) return [];
    try {
      const onSale = known.onSale().map(({ eventId }) => eventId);
      // An event that nobody ever entered has no queue to look after.
      const queues = [...(await journal.settingsOf(onSale)).keys()];
      lookedAtAllMs = clock.monotonicMs();
      return queues;
    } catch (error) {
      logger.warn({ err: error }, 'the journal cannot say which queues there are; looking at the active ones');
      return [];
    }
  }

  async function tickInTurn(eventId: string, settings: SavedSettings | null): Promise<void> {
    // Without lock and turn: a try that takes long must not keep those waiting who can write.
    if (admission.isCutOff(eventId)) await admission.tryJournal(eventId);
    if (admission.isCutOff(eventId)) return;
    const isDue = admission.isDue(eventId);
    if (!isDue && !keepsBetween) return;
    // Never unlocked: it ends with the interval and so keeps the pace, however many processes there are.
    const ttlMs = Math.round(admission.intervalMs(eventId) - beatMs * earlyShare);
    const turn = { eventId, owner, ttlMs, turn: true };
    await locking(eventId, async () => {
      if (isDue && (await store.tryLock(turn))) await admission.tick(eventId, settings);
      else if (keepsBetween) await admission.keep(eventId);
    });
  }

  /** False: another process is at work on this event. */
  async function locking(eventId: string, work: () => Promise<void>): Promise<boolean> {
    let locked: boolean | null = null;
    try {
      locked = await store.tryLock({ eventId, owner, ttlMs: lockMs });
      if (locked) await work();
      return locked;
    } finally {
      // Null: the answer was lost, and the lock may be ours.
      if (locked !== false) await unlock(eventId);
    }
  }

  /** Twice if need be: lost with a connection that was cut, it would keep everybody waiting until the lock ends. */
  async function unlock(eventId: string): Promise<void> {
    const lock = { eventId, owner };
    await store.unlock(lock).catch(() => store.unlock(lock).catch(() => undefined));
  }

  return {
    name: 'queue-admission',
    everyMs: beatMs,
    async run(signal) {
      const all = [...new Set([...(await activeEvents()), ...(await queuesOnSale())])];
      // Last before the step: a copy that took over after this look is noticed by the next.
      const isSound = await watch.look(all);
      deps.observe?.superseded?.(watch.superseded().size);
      deps.observe?.onReplica?.(watch.isOnReplica());
      const events = all.filter(isSound);
      const settings = await journal.settingsOf(events).catch(() => null);
      await inParallel(events, eventsAtOnce, async (eventId) => {
        if (signal.aborted) return;
        await tickInTurn(eventId, settings?.get(eventId) ?? null).catch((error: unknown) =>
          logger.warn({ err: error, eventId }, 'an admission step failed; the next one comes as usual'),
        );
      });
    },
    async stepNow(eventId) {
      for (let tries = 0; tries < stepTriesMax; tries++) {
        if (await locking(eventId, () => admission.tick(eventId, null))) return;
        await delay(stepRetryMs);
      }
    },
  };
}

/** Of a beat: jobs start up to a tenth early. */
const earlyShare = 0.15;

function fixedPace({ admissionIntervalMs, admissionBatch }: QueueConfig): PaceConfig {
  return {
    mode: 'fixed',
    intervalMs: admissionIntervalMs,
    shortIntervalMs: admissionIntervalMs,
    longIntervalMs: admissionIntervalMs,
    batch: admissionBatch,
  };
}
