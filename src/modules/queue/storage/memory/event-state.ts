import type { PlaceOrder } from '../../domain/place-order.ts';
import {
  type BeginCall,
  deniedMax,
  type QueueSettings,
  type RoomState,
  type Slot,
  type StoreSnapshot,
} from '../../ports.ts';
import { createSpentMarks, type SpentMarks } from '../spent-marks.ts';
import { type ChangeLog, createChangeLog } from './change-log.ts';
import { createDenials, type Denials } from './denials.ts';
import { createScoredSet, type ScoredSet } from './scored-set.ts';
import { createSecondsWindow, type SecondsWindow } from './seconds-window.ts';

/** Everything the store knows of one event. Each user is in at most one of `people` and `slots`. */
export interface EventState {
  readonly eventId: string;
  readonly epoch: number;
  era: number;
  sequence: number;
  settings: QueueSettings;
  settingsVersion: number;
  room: RoomState;
  /** Places that were given by a number of tier 1. */
  numbered: number;
  watermark: PlaceOrder;
  recoveringUntilMs: number;
  holdUntilMs: number;
  /** The last admission step, and since when absence counts: nobody could give a sign of life to a queue that stood still. */
  tickAtMs: number | null;
  seenFloorMs: number;
  /** The same for an outage of everything: what single processes missed hides an absence for a minute in all. */
  outageFloorMs: number;
  /** How long there were no steps, in all, and nobody could claim a slot; less what the clock was set back by. */
  claimsStoodMs: number;
  /** Processes that answer polls, by when each last said that it has told its signs of life; the most silent first. */
  readonly flushers: Map<string, number>;

  /** Who has a place: in `queue` or in `parked` by order, and in `seen` by the last sign of life. */
  readonly people: Map<string, Person>;
  readonly queue: ScoredSet;
  readonly parked: ScoredSet;
  readonly seen: ScoredSet;

  /** Who is in a slot: in `ends` by its end, and in `unclaimed` by its beginning or in `claimedSeen` by the last sign of life. */
  readonly slots: Map<string, HeldSlot>;
  readonly ends: ScoredSet;
  readonly unclaimed: ScoredSet;
  readonly claimedSeen: ScoredSet;

  readonly spent: SpentMarks;
  /** Places that were given back once, unclaimed. By order, so that it neither follows the user nor is forgotten with him. */
  readonly returned: Set<PlaceOrder>;
  readonly denied: Denials;
  readonly admissions: SecondsWindow;
  readonly totals: { joined: number; admitted: number; left: number; noShows: number; forgotten: number };
  readonly changes: ChangeLog;
  cleared: StoreSnapshot['cleared'];
}

export interface Person {
  readonly userId: string;
  readonly order: PlaceOrder;
  seenAtMs: number;
  parked: boolean;
}

export interface HeldSlot {
  readonly slot: Slot;
  readonly grantedAtMs: number;
  /** The same in `claimTime`. */
  readonly claimFromMs: number;
  seenAtMs: number;
  claimed: boolean;
}

const denialsDroppedMax = 10_000;

export function createEventState(call: BeginCall, nowMs: number): EventState {
  const state: EventState = {
    eventId: call.eventId,
    epoch: call.epoch,
    era: call.era,
    sequence: call.sequence,
    settings: call.settings,
    settingsVersion: 0,
    room: call.room,
    numbered: 0,
    watermark: call.watermark,
    recoveringUntilMs: nowMs + call.recoveringMs,
    holdUntilMs: 0,
    tickAtMs: null,
    seenFloorMs: nowMs,
    outageFloorMs: nowMs,
    claimsStoodMs: 0,
    flushers: new Map(),
    people: new Map(),
    queue: createScoredSet(),
    parked: createScoredSet(),
    seen: createScoredSet(),
    slots: new Map(),
    ends: createScoredSet(),
    unclaimed: createScoredSet(),
    claimedSeen: createScoredSet(),
    spent: createSpentMarks(call.spent),
    returned: new Set(call.returned),
    denied: createDenials(),
    admissions: createSecondsWindow(),
    totals: { joined: 0, admitted: 0, left: 0, noShows: 0, forgotten: 0 },
    changes: createChangeLog(),
    cleared: { count: 0, upTo: [0, 0] },
  };
  for (const { claimed, ...slot } of call.slots) {
    // Nobody could claim it while the store was away, so the time for it begins anew.
    holdSlot(state, { slot, grantedAtMs: nowMs, claimFromMs: nowMs, seenAtMs: nowMs, claimed });
    // The journal may have been cut between a slot and its spent mark.
    if (state.spent.set(slot.order)) state.changes.add({ kind: 'spent', order: slot.order });
  }
  for (const { slotId, untilMs } of call.denied) state.denied.add(untilMs, slotId);
  return state;
}

export function admitting(state: EventState, nowMs: number): boolean {
  return !state.settings.paused && nowMs >= state.recoveringUntilMs && nowMs >= state.holdUntilMs;
}

/** Slots that have not ended. Ended ones may still be waiting to be dropped by the next admission step. */
export function liveSlots(state: EventState, nowMs: number): number {
  return state.ends.size() - state.ends.countUpTo(nowMs);
}

export function liveSlotOf(state: EventState, userId: string, nowMs: number): HeldSlot | undefined {
  const held = state.slots.get(userId);
  return held !== undefined && held.slot.endsAtMs > nowMs ? held : undefined;
}

export function holderOf(state: EventState, order: PlaceOrder): string | null {
  return state.queue.holder(order) ?? state.parked.holder(order);
}

export function addPerson(state: EventState, facts: { userId: string; order: PlaceOrder; seenAtMs: number }): Person {
  const person = { ...facts, parked: false };
  state.people.set(person.userId, person);
  state.queue.add(person.order, person.userId);
  state.seen.add(person.seenAtMs, person.userId);
  return person;
}

export function removePerson(state: EventState, person: Person): void {
  state.people.delete(person.userId);
  (person.parked ? state.parked : state.queue).delete(person.order, person.userId);
  state.seen.delete(person.seenAtMs, person.userId);
}

export function park(state: EventState, person: Person): void {
  state.queue.delete(person.order, person.userId);
  state.parked.add(person.order, person.userId);
  person.parked = true;
}

/** A sign of life of someone with a place; who was parked is back at the old order. */
export function seePerson(state: EventState, person: Person, nowMs: number): void {
  if (person.parked) {
    state.parked.delete(person.order, person.userId);
    state.queue.add(person.order, person.userId);
    person.parked = false;
  }
  state.seen.delete(person.seenAtMs, person.userId);
  person.seenAtMs = nowMs;
  state.seen.add(person.seenAtMs, person.userId);
}

export function positionOf(state: EventState, person: Person): number {
  return state.queue.rank(person.order, person.userId) + 1;
}

/** The place is over for good. */
export function spendPlace(state: EventState, person: Person): void {
  removePerson(state, person);
  state.returned.delete(person.order);
  state.spent.set(person.order);
  state.changes.add({ kind: 'spent', order: person.order });
}

/** A slot for someone whose place, if there was one, is removed already. Never beyond the threshold. */
export function grantSlot(state: EventState, held: Omit<HeldSlot, 'slot'>, slot: Omit<Slot, 'slotId'>): Slot {
  const granted = { ...slot, slotId: `${state.eventId}.${slot.order}.${held.grantedAtMs}` };
  holdSlot(state, { ...held, slot: granted });
  state.spent.set(slot.order);
  // The slot first: if the journal is cut between the two, the place comes back as a slot and not as nothing.
  state.changes.add({ kind: 'slot', slot: granted, claimed: held.claimed });
  state.changes.add({ kind: 'spent', order: slot.order });
  state.watermark = Math.max(state.watermark, slot.order);
  state.totals.admitted += 1;
  state.admissions.count(held.grantedAtMs);
  return granted;
}

/** A sign of life of someone in a slot. Asking for the slot claims it; a mere sign of life does not. */
export function seeSlot(state: EventState, held: HeldSlot, seen: { nowMs: number; claims: boolean }): void {
  unindexSlot(state, held);
  held.seenAtMs = seen.nowMs;
  if (seen.claims && !held.claimed) {
    held.claimed = true;
    state.changes.add({ kind: 'slot', slot: held.slot, claimed: true });
    state.returned.delete(held.slot.order);
  }
  indexSlot(state, held);
}

/** Takes the slot away. Its id is denied for as long as a token of it would be good. */
function takeSlot(state: EventState, held: HeldSlot, nowMs: number): void {
  const { userId, slotId, endsAtMs } = held.slot;
  state.slots.delete(userId);
  unindexSlot(state, held);
  state.changes.add({ kind: 'slot-ended', userId, slotId });
  if (endsAtMs > nowMs) state.denied.add(endsAtMs, slotId);
}

/** The slot is over and so is its place. */
export function endSlotForGood(state: EventState, held: HeldSlot, nowMs: number): void {
  state.returned.delete(held.slot.order);
  takeSlot(state, held, nowMs);
}

/** A slot whose time is over. Nobody could have used one that was never claimed, so its place is not over with it. */
export function endOver(state: EventState, held: HeldSlot, nowMs: number): 'ended' | 'returned' | 'dropped' {
  if (!held.claimed) return takeBack(state, held, nowMs);
  endSlotForGood(state, held, nowMs);
  return 'ended';
}

/** A slot that nobody claimed: its user is back at the old order the first time; the second time the place stays spent. */
export function takeBack(state: EventState, held: HeldSlot, nowMs: number): 'returned' | 'dropped' {
  const { userId, order } = held.slot;
  state.totals.noShows += 1;
  if (state.returned.has(order)) {
    endSlotForGood(state, held, nowMs);
    return 'dropped';
  }
  state.returned.add(order);
  state.spent.unset(order);
  // The mark first: if the journal is cut between the two, the user still has the slot and not nothing.
  state.changes.add({ kind: 'unspent', order });
  takeSlot(state, held, nowMs);
  addPerson(state, { userId, order, seenAtMs: held.seenAtMs });
  return 'returned';
}

/** Denied ids whose tokens have ended by themselves, and those that are too many. */
export function dropOldDenials(state: EventState, nowMs: number): void {
  const { denied } = state;
  denied.dropEnded(nowMs, denialsDroppedMax);
  denied.dropFirst(Math.min(denialsDroppedMax, Math.max(0, denied.size() - deniedMax)));
}

export function holdSlot(state: EventState, held: HeldSlot): void {
  state.slots.set(held.slot.userId, held);
  indexSlot(state, held);
}

function indexSlot(state: EventState, { slot, claimed, seenAtMs, claimFromMs }: HeldSlot): void {
  state.ends.add(slot.endsAtMs, slot.userId);
  if (claimed) state.claimedSeen.add(seenAtMs, slot.userId);
  else state.unclaimed.add(claimFromMs, slot.userId);
}

function unindexSlot(state: EventState, { slot, claimed, seenAtMs, claimFromMs }: HeldSlot): void {
  state.ends.delete(slot.endsAtMs, slot.userId);
  if (claimed) state.claimedSeen.delete(seenAtMs, slot.userId);
  else state.unclaimed.delete(claimFromMs, slot.userId);
}
