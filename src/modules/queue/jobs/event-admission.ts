import { decidePace, longestIntervalMs, type PaceConfig, type PaceState, paceAtStart } from '../domain/pace.ts';
import {
  type AdmitResult,
  type EndSlotResult,
  outageMs,
  type SavedSettings,
  type Slot,
  type StoreSnapshot,
} from '../ports.ts';
import { leaseMs } from '../service/homes.ts';
import {
  JournalAway,
  JournalBehind,
  JournalStale,
  type JournalWriter,
  StoreBehind,
  type Unwritten,
} from '../service/journal-writer.ts';
import { changesOfAdmission, changesOfEndSlot } from '../service/recent-changes.ts';
import type { AdmissionDeps } from './admission-deps.ts';
import { createRecoveryWatch } from './recovery-watch.ts';
import { createSettingsWatch } from './settings-watch.ts';

export interface EventAdmission {
  isDue(eventId: string): boolean;
  intervalMs(eventId: string): number;
  /** In which this process found somebody waiting or shopping when it last had the turn. */
  busyEvents(): string[];
  forget(eventId: string): void;
  tick(eventId: string, settings: SavedSettings | null): Promise<void>;
  /** This process could not write the journal: it neither admits nor stands in the way of others, and tries to write. */
  isCutOff(eventId: string): boolean;
  tryJournal(eventId: string): Promise<void>;
  /** Between two steps: only brings to the journal what changed. */
  keep(eventId: string): Promise<void>;
}

const callsPerTickMax = 20;
const parkMax = 1_000;
/** Longer than a tick that runs into the database's time limits, so that it is renewed before it ends. */
const holdMs = 8_000;
const eventsMax = 10_000;
/** However long the interval, one step that comes late is no outage: in an outage nobody is absent. */
const outageIntervals = 2.5;

interface Progress {
  pace: PaceState;
  batch: number;
  intervalMs: number;
  dueAtMs: number;
  /** What this process could not write when it last tried; null: it can. */
  unwritten: Unwritten | null;
  busy: boolean;
}

/**
 * One step for one event:
 *
 *   write what changed since ─▶ admit, up to the batch ─▶ write that too ─▶ tell
 *
 * A process that dies between any two leaves its changes in the store, where the next step finds them. One that cannot write
 * the journal leaves the steps to the others. If they cannot write either, so that the changes stay where they are, the store
 * is told to admit nobody for a while, again and again until somebody can: anyone who writes says so to the store, which ends it.
 */
export function createEventAdmission(
  deps: AdmissionDeps & { pace: PaceConfig; beatMs: number; writer: JournalWriter },
): EventAdmission {
  const { store, journal, states, watch, clock, logger, config, pace, beatMs, writer, observe } = deps;
  const pauseMaxMs = Math.max(outageMs, longestIntervalMs(pace) * outageIntervals);
  const progressOf = new Map<string, Progress>();
  const recovery = createRecoveryWatch(deps);
  const settingsWatch = createSettingsWatch(deps);

  function progress(eventId: string): Progress {
    const known = progressOf.get(eventId);
    if (known !== undefined) return known;
    const [oldest] = progressOf.keys();
    if (progressOf.size >= eventsMax && oldest !== undefined) progressOf.delete(oldest);
    const { batch, intervalMs } = pace;
    const started = { pace: paceAtStart, batch, intervalMs, dueAtMs: 0, unwritten: null, busy: false };
    progressOf.set(eventId, started);
    return started;
  }

  async function admit(eventId: string, batch: number, provenUntilMs: number): Promise<AdmitTotals> {
    const totals: AdmitTotals = { admitted: [], parked: 0, returned: 0, dropped: 0 };
    for (let calls = 0; calls < callsPerTickMax; calls++) {
      const step = async () => {
        const answer = await store.admit({
          eventId,
          admitMax: batch - totals.admitted.length,
          parkMax,
          absentMs: config.absentMs,
          claimMs: config.claimMs,
          activeTtlMs: config.activeTtlMs,
          activeSeenTtlMs: config.activeSeenTtlMs,
          outageMs: pauseMaxMs,
        });
        const given = 'admitted' in answer ? answer.admitted : [];
        if (given.length > 0 && performance.now() >= provenUntilMs) await watch.mustCover(eventId, given);
        return answer;
      };
      const result = await states.withState<AdmitResult>(eventId, step, changesOfAdmission);
      totals.admitted.push(...result.admitted);
      totals.parked += result.parked;
      totals.returned += result.returned;
      totals.dropped += result.dropped;
      if (!result.more || totals.admitted.length >= batch) break;
    }
    return totals;
  }

  /** Some slots at random end early, as if their shoppers were done. */
  async function turnOver(eventId: string): Promise<void> {
    const count = deps.turnoverPerTick ?? 0;
    if (count === 0) return;
    for (const { userId, slotId } of await journal.someSlots(eventId, count)) {
      await states.withState<EndSlotResult>(
        eventId,
        () => store.endSlot({ eventId, userId, slotId }),
        changesOfEndSlot,
      );
    }
  }

  async function step(eventId: string, settings: SavedSettings | null): Promise<void> {
    const started = performance.now();
    const now = progress(eventId);
    // Without the journal's recent word that this server keeps the event, only a write shows it.
    const isLeased = await watch.mayGrant(eventId);
    const provenFromMs = performance.now();
    if (isLeased) await writer.drain(eventId, null);
    else await writer.prove(eventId);
    await turnOver(eventId);
    const totals = await admit(eventId, now.batch, isLeased ? 0 : provenFromMs + leaseMs);
    const snapshot = await states.withState<StoreSnapshot>(eventId, () => store.snapshot({ eventId }));
    await writer.drain(eventId, snapshot.recovering ? null : snapshot.waiting);
    if (snapshot.recovering) await recovery.endWhenCrowdIsBack(eventId, snapshot);
    const { settings: inStore, settingsVersion: version, era, room } = snapshot;
    if (settings !== null)
      await settingsWatch.compare(eventId, { set: settings, inStore, version, room: { era, room } });
    decide(eventId, totals, snapshot);
    if (totals.admitted.length > 0) observe?.admitted?.(eventId, totals.admitted);
    const { parked, returned, dropped } = totals;
    observe?.ticked?.(eventId, { parked, returned, dropped, seconds: (performance.now() - started) / 1000 });
  }

  function decide(
    eventId: string,
    { admitted, parked, returned, dropped }: AdmitTotals,
    snapshot: StoreSnapshot,
  ): void {
    const now = progress(eventId);
    const { waiting, parked: away, active, settings } = snapshot;
    const inputs = {
      free: Math.max(0, settings.threshold - active),
      waiting,
      admitted: admitted.length,
      noShows: returned + dropped,
      origin: deps.origin?.() ?? null,
    };
    const decision = decidePace(pace, now.pace, inputs);
    const moved = admitted.length + parked + returned + dropped > 0 || decision.batch !== now.batch;
    const { batch, intervalMs, reason, state } = decision;
    const { noShowRate } = state;
    const busy = waiting + away + active > 0;
    Object.assign(now, {
      pace: state,
      batch,
      intervalMs,
      busy,
      dueAtMs: clock.monotonicMs() + intervalMs - beatMs * earlyShare,
    });
    const decided = { noShowRate, parked, active, batch, intervalMs, reason };
    logger[moved ? 'info' : 'debug']({ eventId, ...inputs, ...decided }, 'admission');
  }

  async function pauseWithoutJournal(eventId: string, error: JournalAway): Promise<void> {
    const now = progress(eventId);
    const before = now.unwritten;
    now.unwritten = error.unwritten;
    // Said once when it begins; the step itself says it again by holding.
    if (before === null) {
      logger.error(
        { err: error.cause, eventId },
        'the journal cannot be written: admission is paused here until it can',
      );
      observe?.journalAway?.(eventId, true);
    }
    if (isStuck(before, error.unwritten)) await store.hold({ eventId, forMs: holdMs });
  }

  /** Before a try that may take long, so that a hold does not end in the middle of it. */
  async function holdOn(eventId: string, before: Unwritten): Promise<void> {
    if (isStuck(before, await writer.unwritten(eventId))) await store.hold({ eventId, forMs: holdMs });
  }

  async function guarded(eventId: string, work: () => Promise<unknown>): Promise<void> {
    const now = progress(eventId);
    try {
      if (now.unwritten !== null) await holdOn(eventId, now.unwritten);
      await work();
    } catch (error) {
      if (error instanceof JournalStale) return watch.recheck(eventId);
      if (error instanceof JournalBehind) return states.catchUp(eventId);
      if (error instanceof StoreBehind) return states.replace(eventId, error.epoch);
      if (!(error instanceof JournalAway)) throw error;
      return pauseWithoutJournal(eventId, error);
    }
    if (now.unwritten === null) return;
    now.unwritten = null;
    logger.info({ eventId }, 'the journal is written again: admission goes on');
    observe?.journalAway?.(eventId, false);
  }

  return {
    isDue: (eventId) => clock.monotonicMs() >= progress(eventId).dueAtMs,
    intervalMs: (eventId) => progress(eventId).intervalMs,
    busyEvents: () => [...progressOf].flatMap(([eventId, { busy }]) => (busy ? [eventId] : [])),
    forget: (eventId) => void progressOf.delete(eventId),
    isCutOff: (eventId) => progress(eventId).unwritten !== null,
    tryJournal: (eventId) => guarded(eventId, () => writer.prove(eventId)),
    tick: (eventId, settings) => guarded(eventId, () => step(eventId, settings)),
    keep: (eventId) => guarded(eventId, () => writer.drain(eventId, null)),
  };
}

/** Of a beat. The job's own timer keeps the interval; this only passes over events with a longer one, and must not miss a beat. */
const earlyShare = 0.2;

/** Something is to be written, and since the look before nobody has written any of it. */
function isStuck(before: Unwritten | null, now: Unwritten): boolean {
  return now.count > 0 && (before === null || (before.epoch === now.epoch && before.from === now.from));
}

interface AdmitTotals {
  readonly admitted: Slot[];
  parked: number;
  returned: number;
  dropped: number;
}
