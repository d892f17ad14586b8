import { assert } from '#platform/assert.ts';
import { type PlaceOrder, packPlaceOrder, unpackPlaceOrder } from '../../domain/place-order.ts';
import type { EnterCall, EnterResult } from '../../ports.ts';
import {
  addPerson,
  admitting,
  type EventState,
  endOver,
  grantSlot,
  holderOf,
  liveSlots,
  type Person,
  positionOf,
  seePerson,
  seeSlot,
  spendPlace,
} from './event-state.ts';
import { claimTime } from './step-time.ts';

/** The numbers are those of `QueueStore.enter`. */
export function enter(state: EventState, call: EnterCall, nowMs: number): EnterResult {
  const { epoch } = state;

  // 1. A slot that has ended is not there any more, even if no admission step has dropped it yet.
  const held = state.slots.get(call.userId);
  if (held !== undefined && held.slot.endsAtMs > nowMs) {
    seeSlot(state, held, { nowMs, claims: call.mode !== 'return' && call.unattended !== true });
    const other = held.claimed ? otherPlace(state, call, held.slot.order) : null;
    if (other !== null) spendUnheld(state, other);
    return { status: 'active', slot: held.slot, epoch, fresh: false };
  }
  if (held !== undefined) endOver(state, held, nowMs);

  // 2.
  const present = state.people.get(call.userId);
  if (present !== undefined) {
    seePerson(state, present, nowMs);
    const person = keepEarlier(state, present, otherPlace(state, call, present.order));
    return { status: 'waiting', order: person.order, position: positionOf(state, person), epoch, fresh: false };
  }

  // 3.
  const spent = call.ticketOrder !== undefined && state.spent.has(call.ticketOrder);
  if (call.ticketOrder !== undefined && !spent && holderOf(state, call.ticketOrder) === null) {
    return place(state, call, call.ticketOrder, nowMs);
  }

  // 4.
  if (call.mode !== 'enter') return { status: 'none', spent, epoch };

  // 5.
  if (state.settings.closed) return { status: 'closed', epoch };
  if (call.numbered !== undefined) {
    if (state.spent.has(call.numbered) || holderOf(state, call.numbered) !== null) {
      return { status: 'number-taken', epoch };
    }
    state.totals.joined += 1;
    state.numbered += 1;
    return place(state, call, call.numbered, nowMs);
  }

  // 6.
  if (call.roomOn || (state.room.on && call.pastRoom !== true)) return { status: 'tier1-required', epoch };
  state.totals.joined += 1;
  const order = packPlaceOrder({ lane: call.lane, era: state.era, number: state.sequence + 1 });
  return place(state, call, order, nowMs);
}

/** The place of the ticket that is shown, if it is another than this one, not over, and held by nobody. */
function otherPlace(state: EventState, { ticketOrder }: EnterCall, order: PlaceOrder): PlaceOrder | null {
  if (ticketOrder === undefined || ticketOrder === order) return null;
  return state.spent.has(ticketOrder) || holderOf(state, ticketOrder) !== null ? null : ticketOrder;
}

/** One user, one place: the later of the two is over. */
function keepEarlier(state: EventState, person: Person, other: PlaceOrder | null): Person {
  if (other === null) return person;
  passNumber(state, other);
  if (other > person.order) {
    spendUnheld(state, other);
    return person;
  }
  spendPlace(state, person);
  return addPerson(state, { userId: person.userId, order: other, seenAtMs: person.seenAtMs });
}

function spendUnheld(state: EventState, order: PlaceOrder): void {
  passNumber(state, order);
  state.returned.delete(order);
  state.spent.set(order);
  state.changes.add({ kind: 'spent', order });
}

/** A number that came back in a ticket, or came from tier 1, must not be given again by the sequence. */
function passNumber(state: EventState, order: PlaceOrder): void {
  const { era, number } = unpackPlaceOrder(order);
  if (era === state.era) state.sequence = Math.max(state.sequence, number);
}

/** 7. A slot at once when nobody is passed over by it, else a place. */
function place(state: EventState, call: EnterCall, order: PlaceOrder, nowMs: number): EnterResult {
  const { userId } = call;
  passNumber(state, order);
  const { threshold } = state.settings;
  const isWithoutSlot = call.mode === 'return' || call.withoutSlot === true;
  const mayHaveSlot = !isWithoutSlot && state.people.size === 0 && admitting(state, nowMs);
  if (mayHaveSlot && liveSlots(state, nowMs) < threshold) {
    const endsAtMs = nowMs + call.activeTtlMs;
    const claimed = call.unattended !== true;
    const held = { grantedAtMs: nowMs, claimFromMs: claimTime(state, nowMs), seenAtMs: nowMs, claimed };
    const slot = grantSlot(state, held, { userId, order, endsAtMs });
    if (claimed) state.returned.delete(order);
    assert(liveSlots(state, nowMs) <= threshold, `more slots than ${threshold}`);
    return { status: 'active', slot, epoch: state.epoch, fresh: true };
  }

  addPerson(state, { userId, order, seenAtMs: nowMs });
  const position = state.queue.rank(order, userId) + 1;
  return { status: 'waiting', order, position, epoch: state.epoch, fresh: true };
}
