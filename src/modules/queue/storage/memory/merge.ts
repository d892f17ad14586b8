import { assertNever } from '#platform/assert.ts';
import type { PlaceOrder } from '../../domain/place-order.ts';
import type { LateChange, SlotRecord } from '../../ports.ts';
import {
  addPerson,
  type EventState,
  endOver,
  endSlotForGood,
  holderOf,
  holdSlot,
  liveSlotOf,
  liveSlots,
  removePerson,
  seeSlot,
  spendPlace,
} from './event-state.ts';
import { claimTime } from './step-time.ts';

/** Late changes in their order, as `QueueStore.merge` says. */
export function merge(state: EventState, changes: readonly LateChange[], nowMs: number): void {
  for (const change of changes) {
    switch (change.kind) {
      case 'slot':
        mergeSlot(state, { ...change.slot, claimed: change.claimed }, nowMs);
        break;
      case 'slot-ended': {
        const held = state.slots.get(change.userId);
        if (held?.slot.slotId === change.slotId) endSlotForGood(state, held, nowMs);
        break;
      }
      case 'place':
        mergePlace(state, change, nowMs);
        break;
      case 'spent':
        spend(state, change.order);
        break;
      default:
        assertNever(change);
    }
  }
}

function mergePlace(state: EventState, { userId, order }: { userId: string; order: PlaceOrder }, nowMs: number): void {
  if (state.spent.has(order) || holderOf(state, order) !== null) return;
  dropIfOver(state, userId, nowMs);
  if (state.people.has(userId) || state.slots.has(userId)) return;
  addPerson(state, { userId, order, seenAtMs: nowMs });
}

function mergeSlot(state: EventState, { claimed, ...slot }: SlotRecord, nowMs: number): void {
  const { userId, slotId, order, endsAtMs } = slot;
  if (state.spent.has(order)) {
    // The journal had the slot, so only one thing can be new: that it was claimed.
    const held = liveSlotOf(state, userId, nowMs);
    if (claimed && held?.slot.slotId === slotId) seeSlot(state, held, { nowMs, claims: true });
    return;
  }
  if (endsAtMs <= nowMs) {
    if (claimed) spend(state, order);
    return;
  }
  // Told before, when there was no room.
  if (state.denied.has(endsAtMs, slotId)) return;
  dropIfOver(state, userId, nowMs);
  if (state.slots.has(userId)) {
    spend(state, order);
    state.denied.add(endsAtMs, slotId);
    return;
  }
  if (liveSlots(state, nowMs) >= state.settings.threshold) {
    // Others have the room by now. The place counts on; anyone who holds a token of the slot must not be one too many.
    state.denied.add(endsAtMs, slotId);
    const isThere = state.people.has(userId) || holderOf(state, order) !== null;
    if (!isThere) addPerson(state, { userId, order, seenAtMs: nowMs });
    return;
  }
  const person = state.people.get(userId);
  if (person !== undefined && person.order !== order) spendPlace(state, person);
  // The time to claim it begins anew, as for every slot that comes back. Given back once, it is so no second time.
  const isLastChance = state.returned.has(order) && !claimed;
  state.changes.add({ kind: 'slot', slot, claimed });
  spend(state, order);
  if (isLastChance) state.returned.add(order);
  holdSlot(state, { slot, grantedAtMs: nowMs, claimFromMs: claimTime(state, nowMs), seenAtMs: nowMs, claimed });
  state.watermark = Math.max(state.watermark, order);
}

/** A slot that is over is nothing that its user has, even if no admission step has dropped it yet. */
function dropIfOver(state: EventState, userId: string, nowMs: number): void {
  const held = state.slots.get(userId);
  if (held !== undefined && held.slot.endsAtMs <= nowMs) endOver(state, held, nowMs);
}

/** The place is over, no matter who came back to it meanwhile. */
function spend(state: EventState, order: PlaceOrder): void {
  if (!state.spent.set(order)) return;
  state.changes.add({ kind: 'spent', order });
  state.returned.delete(order);
  const person = state.people.get(holderOf(state, order) ?? '');
  if (person !== undefined) removePerson(state, person);
}
