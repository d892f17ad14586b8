import { assert } from '#platform/assert.ts';
import type { Clock } from '#platform/clock.ts';
import {
  claimMax,
  type LeaveResult,
  type Lost,
  lockLongestMs,
  marksMax,
  mergeMax,
  type QueueStore,
  type SlotClaim,
  type SpentMark,
  type StoreChange,
  touchMax,
} from '../ports.ts';
import { admit } from './memory/admit.ts';
import { clear } from './memory/clear.ts';
import { enter } from './memory/enter.ts';
import {
  createEventState,
  dropOldDenials,
  type EventState,
  endSlotForGood,
  liveSlotOf,
  type Person,
  removePerson,
  seePerson,
  seeSlot,
  spendPlace,
} from './memory/event-state.ts';
import { noteFlush } from './memory/flushers.ts';
import { merge } from './memory/merge.ts';
import { dump, snapshot, trace } from './memory/snapshot.ts';

export interface MemoryStore extends QueueStore {
  /** Loses everything, or everything of one event, as a server does that restarts without its data. */
  wipe(eventId?: string): void;
}

const lost: Lost = { status: 'lost' };

/**
 * The queues in the memory of one process, and the specification that every other store is compared with. A call runs
 * from beginning to end without giving way, so it is one atomic step.
 */
export function createMemoryStore({ clock }: { clock: Clock }): MemoryStore {
  const events = new Map<string, EventState>();
  const active = new Set<string>();
  const locks = new Map<string, { owner: string; untilMs: number }>();

  return {
    async enter(call) {
      const state = events.get(call.eventId);
      if (state === undefined) return lost;
      const result = enter(state, call, timeOf(call));
      if (result.status === 'active' || result.status === 'waiting') active.add(call.eventId);
      return result;
    },

    async touch(call) {
      assert(call.userIds.length <= touchMax, `${call.userIds.length} signs of life in one call`);
      const state = events.get(call.eventId);
      if (state === undefined) return lost;
      const nowMs = timeOf(call);
      return { unknown: call.userIds.filter((userId) => !touchUser(state, userId, nowMs)) };
    },

    async claim(call) {
      assert(call.claims.length <= claimMax, `${call.claims.length} claims in one call`);
      const state = events.get(call.eventId);
      if (state === undefined) return lost;
      const nowMs = timeOf(call);
      return { claimed: call.claims.filter((claim) => claimSlot(state, claim, nowMs)).length };
    },

    async leave(call) {
      const state = events.get(call.eventId);
      return state === undefined ? lost : leave(state, call.userId, timeOf(call));
    },

    async endSlot(call) {
      const state = events.get(call.eventId);
      if (state === undefined) return lost;
      const nowMs = timeOf(call);
      const { epoch } = state;
      const held = liveSlotOf(state, call.userId, nowMs);
      if (held?.slot.slotId !== call.slotId) return { ended: false, epoch };
      endSlotForGood(state, held, nowMs);
      return { ended: true, slot: held.slot, epoch };
    },

    async admit(call) {
      const state = events.get(call.eventId);
      return state === undefined ? lost : admit(state, call, timeOf(call));
    },

    async snapshot(call) {
      const state = events.get(call.eventId);
      if (state === undefined) return lost;
      const nowMs = timeOf(call);
      if (call.flusher !== undefined) noteFlush(state, call.flusher, nowMs);
      return snapshot(state, { ...call, nowMs });
    },

    async forget(call) {
      const state = events.get(call.eventId);
      if (state === undefined) return lost;
      const unseen = state.seen.upTo(timeOf(call) - call.seenTtlMs, call.limit);
      for (const { member } of unseen) removePerson(state, personOf(state, member));
      state.totals.forgotten += unseen.length;
      return { forgotten: unseen.length };
    },

    async configure({ eventId, changes, version = 0 }) {
      const state = events.get(eventId);
      if (state === undefined) return lost;
      const before = state.settings;
      state.settings = { ...before, ...changes };
      state.settingsVersion = Math.max(state.settingsVersion, version);
      return { before, after: state.settings };
    },

    async clear(call) {
      const state = events.get(call.eventId);
      return state === undefined ? lost : clear(state, call);
    },

    async trace(call) {
      const state = events.get(call.eventId);
      return state === undefined ? lost : trace(state, call.userId, timeOf(call));
    },

    async changes({ eventId, limit }) {
      const state = events.get(eventId);
      if (state === undefined) return lost;
      return { status: 'ok', epoch: state.epoch, ...state.changes.oldest(limit), backlog: state.changes.size() };
    },

    async marks({ eventId, epoch, from }) {
      const state = events.get(eventId);
      if (state === undefined) return lost;
      const some = state.epoch === epoch ? state.changes.since(from, marksMax) : null;
      if (some === null) return { status: 'gap' };
      const { upTo, more, changes } = some;
      return { status: 'ok', upTo, more, marks: changes.flatMap(markOf) };
    },

    async acknowledge({ eventId, epoch, upTo }) {
      const state = events.get(eventId);
      if (state?.epoch !== epoch) return;
      // Somebody could write up to here or beyond. A late word of less is no news.
      if (upTo >= state.changes.oldest(0).from) state.holdUntilMs = 0;
      state.changes.dropBefore(upTo);
    },

    async hold(call) {
      const state = events.get(call.eventId);
      if (state !== undefined) state.holdUntilMs = Math.max(state.holdUntilMs, timeOf(call) + call.forMs);
    },

    async begin(call) {
      const present = events.get(call.eventId);
      if (present !== undefined && present.epoch >= call.epoch) return { begun: false };
      events.set(call.eventId, createEventState(call, timeOf(call)));
      if (call.slots.length > 0) active.add(call.eventId);
      return { begun: true };
    },

    async merge(call) {
      assert(call.changes.length <= mergeMax, `${call.changes.length} late changes in one call`);
      const state = events.get(call.eventId);
      if (state === undefined) return lost;
      if (state.epoch !== call.epoch) return { merged: false };
      merge(state, call.changes, timeOf(call));
      active.add(call.eventId);
      return { merged: true };
    },

    async remove(call) {
      const state = events.get(call.eventId);
      if (state !== undefined && !mayGo(state, call.epoch, timeOf(call))) return { removed: false };
      events.delete(call.eventId);
      active.delete(call.eventId);
      return { removed: true };
    },

    async dump(call) {
      const state = events.get(call.eventId);
      return state === undefined ? lost : dump(state, timeOf(call));
    },

    async endRecovery({ eventId, epoch }) {
      const state = events.get(eventId);
      if (state?.epoch === epoch) state.recoveringUntilMs = 0;
    },

    async switchRoom({ eventId, era, room }) {
      const state = events.get(eventId);
      if (state === undefined) return lost;
      if (room.version <= state.room.version) return { switched: false };
      state.room = room;
      if (era > state.era) Object.assign(state, { era, sequence: 0 });
      return { switched: true };
    },

    activeEvents: async () => [...active],

    async dropIdle(eventId) {
      const state = events.get(eventId);
      if (state !== undefined && isBusy(state)) active.add(eventId);
      else active.delete(eventId);
    },

    async tryLock({ eventId, owner, ttlMs, turn = false }) {
      const name = turn ? `${eventId}:turn` : eventId;
      const held = locks.get(name);
      const leftMs = (held?.untilMs ?? 0) - clock.now();
      if (leftMs > 0 && leftMs <= Math.max(ttlMs, lockLongestMs)) return false;
      locks.set(name, { owner, untilMs: clock.now() + ttlMs });
      return true;
    },

    async unlock({ eventId, owner }) {
      if (locks.get(eventId)?.owner === owner) locks.delete(eventId);
    },

    identity: async () => 'memory',
    proveWritable: async () => undefined,
    connection: () => 'memory',
    reconnect: () => undefined,
    servers: async () => ({ of: () => 'memory', has: (identity) => identity === 'memory', all: () => ['memory'] }),

    wipe(eventId) {
      if (eventId === undefined) {
        for (const known of [events, active, locks]) known.clear();
      } else {
        for (const known of [events, active, locks]) known.delete(eventId);
      }
    },
  };

  function timeOf(call: { nowMs?: number }): number {
    return call.nowMs ?? clock.now();
  }
}

/**
 * Changes that the journal has not taken are somebody, too: without a look at the event they would stay here. And gateways
 * learn which tokens are denied by looking at active events.
 */
function isBusy(state: EventState): boolean {
  return isUsed(state) || state.denied.size() > 0;
}

function isUsed({ people, slots, changes }: EventState): boolean {
  return people.size + slots.size + changes.size() > 0;
}

/** Only tokens that would still be good keep an event that nobody uses. */
function mayGo(state: EventState, epoch: number, nowMs: number): boolean {
  if (state.epoch !== epoch || isUsed(state)) return false;
  dropOldDenials(state, nowMs);
  return state.denied.size() === 0;
}

function touchUser(state: EventState, userId: string, nowMs: number): boolean {
  const person = state.people.get(userId);
  if (person !== undefined) {
    seePerson(state, person, nowMs);
    return true;
  }
  const held = liveSlotOf(state, userId, nowMs);
  if (held === undefined) return false;
  seeSlot(state, held, { nowMs, claims: false });
  return true;
}

/** True: it was not claimed before. */
function claimSlot(state: EventState, { userId, slotId }: SlotClaim, nowMs: number): boolean {
  const held = liveSlotOf(state, userId, nowMs);
  if (held?.slot.slotId !== slotId) return false;
  const wasClaimed = held.claimed;
  seeSlot(state, held, { nowMs, claims: true });
  return !wasClaimed;
}

function leave(state: EventState, userId: string, nowMs: number): LeaveResult {
  const { epoch } = state;
  const person = state.people.get(userId);
  if (person !== undefined) {
    spendPlace(state, person);
    state.totals.left += 1;
    return { left: 'place', order: person.order, epoch };
  }
  const held = state.slots.get(userId);
  if (held === undefined) return { left: 'nothing', epoch };
  endSlotForGood(state, held, nowMs);
  // It had ended already; it is only dropped a moment earlier than the next admission step would.
  if (held.slot.endsAtMs <= nowMs) return { left: 'nothing', epoch };
  state.totals.left += 1;
  return { left: 'slot', slot: held.slot, epoch };
}

function personOf(state: EventState, userId: string): Person {
  const person = state.people.get(userId);
  assert(person !== undefined, `${userId} has no place`);
  return person;
}

function markOf(change: StoreChange): SpentMark[] {
  if (change.kind !== 'spent' && change.kind !== 'unspent') return [];
  return [{ order: change.order, isSpent: change.kind === 'spent' }];
}
