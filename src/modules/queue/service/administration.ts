import type { AuditEntry } from '#platform/audit/port.ts';
import { isoTime } from '#platform/clock.ts';
import type { Identity } from '#platform/http/identity.ts';
import type { Transaction } from '#platform/postgres/database.ts';
import type { QueueDeps } from '../deps.ts';
import { estimateWait } from '../domain/estimate.ts';
import { type ThresholdSource, thresholdSource } from '../domain/threshold-source.ts';
import type {
  EndSlotResult,
  EventFacts,
  EventStates,
  OperatorSettings,
  QueueJournal,
  QueueSettings,
  UserTrace,
} from '../ports.ts';
import { createClearing } from './clearing.ts';
import { isInStore } from './event-view.ts';
import { changesOfEndSlot } from './recent-changes.ts';
import type { ServerWatch } from './server-watch.ts';
import { thresholdUnset } from './settings.ts';
import type { Snapshots } from './snapshots.ts';

/** Who acts, and in which request: every act is written down with it. */
export interface Actor extends Pick<Identity, 'userId' | 'role'> {
  readonly requestId: string;
}

/** What operators see and do. Every act is audited with what was before and after. */
export function createAdministration(
  deps: Pick<QueueDeps, 'database' | 'audit' | 'store' | 'logger' | 'config'> & {
    journal: QueueJournal;
    states: EventStates;
    snapshots: Snapshots;
    watch: Pick<ServerWatch, 'superseded' | 'isOnReplica'>;
    /** Lets people in at once where there is room. */
    admitNow: (eventId: string) => Promise<void>;
  },
) {
  const { database, audit, store, journal, states, snapshots, watch, admitNow, logger, config } = deps;

  type Act = Pick<AuditEntry, 'action' | 'subject' | 'before' | 'after'>;

  async function record(actor: Actor, act: Act, on?: Transaction): Promise<void> {
    const entry = { ...act, actorId: actor.userId, actorRole: actor.role, requestId: actor.requestId };
    if (on === undefined) await database.transaction((tx) => audit.record(tx, entry));
    else await audit.record(on, entry);
  }

  const clearing = createClearing({ store, states, snapshots, logger, record });

  /**
   * The store first, since that is where it takes effect; what cannot be written down is taken back. `saved`: what the
   * journal keeps, where that is something else.
   */
  async function configure(
    eventId: string,
    call: { action: string; changes: Partial<QueueSettings>; saved?: Partial<OperatorSettings>; actor: Actor },
  ): Promise<QueueSettings> {
    const { action, changes, saved = changes, actor } = call;
    await snapshots.get(eventId);
    const { before, after } = await states.withState(eventId, () => store.configure({ eventId, changes }));
    try {
      await database.transaction(async (tx) => {
        await journal.saveSettings(eventId, saved, tx);
        await record(actor, { action: `queue.${action}`, subject: eventId, before, after }, tx);
      });
    } catch (error) {
      await takeBack(eventId, only(before, changes));
      throw error;
    }
    if (makesRoom(before, after)) await admitNow(eventId).catch((error: unknown) => waitsForTick(eventId, error));
    await snapshots.refresh(eventId);
    logger.info({ eventId, action, userId: actor.userId, before, after }, 'an operator changed a queue');
    return after;
  }

  function waitsForTick(eventId: string, error: unknown): void {
    logger.warn({ err: error, eventId }, 'nobody was admitted at once; the next tick does it');
  }

  async function takeBack(eventId: string, before: Partial<QueueSettings>): Promise<void> {
    await states
      .withState(eventId, () => store.configure({ eventId, changes: before }))
      .catch((error: unknown) => {
        logger.error({ err: error, eventId, before }, 'a change that was not audited could not be taken back');
      });
  }

  async function trace(eventId: string, userId: string): Promise<UserTrace> {
    if (!isInStore(await snapshots.get(eventId))) return nowhere;
    return states.withState(eventId, () => store.trace({ eventId, userId }));
  }

  /** Null: the journal is away, and what it would say is no reason to show nothing. */
  async function sourceOf(facts: EventFacts): Promise<ThresholdSource | null> {
    const { eventId } = facts;
    try {
      return thresholdSource((await journal.settingsOf([eventId])).get(eventId), facts);
    } catch (error) {
      logger.warn({ err: error, eventId }, 'the journal does not say who set the threshold');
      return null;
    }
  }

  return {
    async overview(eventId: string) {
      const { facts, snapshot, stale, history } = await snapshots.get(eventId).then(() => snapshots.refresh(eventId));
      const { waiting, parked, active, settings, recovering, epoch, era, totals, admittedPerSecond } = snapshot;
      // Not by what polls keep of their waits: anyone who looks on must not change what people are told.
      const wait = waiting === 0 ? null : estimateWait({ position: waiting, snapshot, config });
      return {
        eventId,
        title: facts.title,
        ...settings,
        thresholdFrom: await sourceOf(facts),
        waiting,
        parked,
        active,
        ratePerMinute: admittedPerSecond.reduce((sum, count) => sum + count, 0),
        estimatedWait: wait?.seconds ?? null,
        estimatedWaitHigh: wait?.highSeconds ?? null,
        recovering,
        stale,
        superseded: watch.isOnReplica() || watch.superseded().has(eventId),
        epoch,
        era,
        totals: { ...totals },
        admittedPerSecond: [...admittedPerSecond],
        history: history.map(({ atMs, ...point }) => ({ at: isoTime(atMs), ...point })),
      };
    },

    async user(eventId: string, userId: string) {
      const { place, position, order, seenAtMs, slot, returned } = await trace(eventId, userId);
      return {
        userId,
        place,
        why: whyOf({ place, returned, claimed: slot?.claimed ?? false }),
        position,
        order,
        seenAt: seenAtMs === null ? null : isoTime(seenAtMs),
        slotEndsAt: slot === null ? null : isoTime(slot.endsAtMs),
        claimed: slot?.claimed ?? null,
        returned,
      };
    },

    async endSlot(eventId: string, call: { userId: string; actor: Actor }) {
      const { slot } = await trace(eventId, call.userId);
      if (slot === null) return { ended: false };
      const { userId, slotId, endsAtMs } = slot;
      const before = { userId, slotId, endsAt: isoTime(endsAtMs) };
      const act = { action: 'queue.slot.end', subject: eventId, before, after: null };
      // Written down before it is done, since it cannot be undone; if there is nothing to do, nothing stays written.
      const ended = await database
        .transaction(async (tx) => {
          await record(call.actor, act, tx);
          const end = () => store.endSlot({ eventId, userId, slotId });
          const done = await states.withState<EndSlotResult>(eventId, end, changesOfEndSlot);
          if (!done.ended) throw new EndedByItself();
          return true;
        })
        .catch((error: unknown) => {
          if (error instanceof EndedByItself) return false;
          throw error;
        });
      if (ended) await snapshots.refresh(eventId);
      return { ended };
    },

    threshold: (eventId: string, threshold: number, actor: Actor) =>
      configure(eventId, { action: 'threshold', changes: { threshold }, actor }),
    /** The event's own counts again, or the configured one; both may change later, and the threshold with them. */
    async unsetThreshold(eventId: string, actor: Actor) {
      const { facts } = await snapshots.get(eventId);
      const changes = { threshold: thresholdUnset(facts, config) };
      return configure(eventId, { action: 'threshold.unset', changes, saved: { threshold: null }, actor });
    },
    pause: (eventId: string, actor: Actor) => configure(eventId, { action: 'pause', changes: { paused: true }, actor }),
    resume: (eventId: string, actor: Actor) =>
      configure(eventId, { action: 'resume', changes: { paused: false, closed: false }, actor }),
    close: (eventId: string, actor: Actor) => configure(eventId, { action: 'close', changes: { closed: true }, actor }),
    message: (eventId: string, message: string | null, actor: Actor) =>
      configure(eventId, { action: 'message', changes: { message }, actor }),

    clear: clearing.clear,
    /** What is done in the background ends. */
    stop: clearing.stop,
  };
}

/** Between the look at a slot and its end. Rolls the audit entry back. */
class EndedByItself extends Error {}

function makesRoom(before: QueueSettings, after: QueueSettings): boolean {
  return after.threshold > before.threshold || (before.paused && !after.paused);
}

/** What this change replaced, and not what another operator changed in the meantime. */
function only(before: QueueSettings, changes: Partial<QueueSettings>): Partial<QueueSettings> {
  return Object.fromEntries(Object.entries(before).filter(([name]) => name in changes));
}

export type Administration = ReturnType<typeof createAdministration>;

const nowhere: UserTrace = {
  status: 'ok',
  place: 'none',
  order: null,
  position: null,
  seenAtMs: null,
  slot: null,
  returned: false,
};

function whyOf(facts: { place: UserTrace['place']; returned: boolean; claimed: boolean }): string {
  const { place, returned, claimed } = facts;
  switch (place) {
    case 'active':
      return claimed ? 'in a slot' : 'in a slot that was not claimed yet';
    case 'parked':
      return 'no sign of life lately: passed over, the place is kept';
    case 'waiting':
      return returned ? 'was admitted, did not come, and was put back once' : 'waiting for a slot';
    case 'none':
      return 'never entered, left, was admitted before, or has been silent for long: a ticket that is not spent brings the place back';
  }
}
