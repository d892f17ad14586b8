import { assertNever } from '#platform/assert.ts';
import type { Clock } from '#platform/clock.ts';
import type { PlaceOrder } from '../domain/place-order.ts';
import type { AdmitResult, EndSlotResult, EnterResult, LateChange, LeaveResult, Slot, StoreChange } from '../ports.ts';

/**
 * What this process was told of changes in the last seconds. They reach the journal with the next tick; if the store is
 * lost before it, this memory is the only record of them.
 */
export interface RecentChanges {
  note(eventId: string, epoch: number, changes: readonly LateChange[]): void;
  /** The event has this epoch now: what was noted in the ones before comes back, once. */
  takeBefore(eventId: string, epoch: number): readonly LateChange[];
}

/** Some ticks: whatever is older has reached the journal, or admission is paused. */
const keptMs = 5_000;
const changesPerEventMax = 20_000;
const eventsMax = 1_000;

interface Noted {
  readonly epoch: number;
  readonly atMs: number;
  readonly change: LateChange;
}

interface EventChanges {
  noted: Noted[];
  /** None of them is of an earlier epoch. Every answer of the store asks, so it must not cost a look at all of them. */
  sinceEpoch: number;
}

export function createRecentChanges({ clock }: { clock: Clock }): RecentChanges {
  const byEvent = new Map<string, EventChanges>();

  function changesOf(eventId: string, epoch: number): EventChanges {
    const known = byEvent.get(eventId);
    if (known !== undefined) return known;
    const [oldest] = byEvent.keys();
    if (byEvent.size >= eventsMax && oldest !== undefined) byEvent.delete(oldest);
    const fresh = { noted: [], sinceEpoch: epoch };
    byEvent.set(eventId, fresh);
    return fresh;
  }

  return {
    note(eventId, epoch, changes) {
      if (changes.length === 0) return;
      const known = changesOf(eventId, epoch);
      const { noted } = known;
      const atMs = clock.monotonicMs();
      if (noted.length >= changesPerEventMax || (noted[0]?.atMs ?? atMs) < atMs - 2 * keptMs) {
        const old = noted.findIndex((each) => each.atMs >= atMs - keptMs);
        noted.splice(0, old === -1 ? noted.length : Math.max(old, noted.length - changesPerEventMax / 2));
      }
      for (const change of changes) noted.push({ epoch, atMs, change });
      known.sinceEpoch = Math.min(known.sinceEpoch, epoch);
    },

    takeBefore(eventId, epoch) {
      const known = byEvent.get(eventId);
      if (known === undefined || known.sinceEpoch >= epoch) return [];
      const { noted } = known;
      known.noted = noted.filter((each) => each.epoch >= epoch);
      known.sinceEpoch = epoch;
      const since = clock.monotonicMs() - keptMs;
      return noted.filter((each) => each.epoch < epoch && each.atMs >= since).map(({ change }) => change);
    },
  };
}

/** Anyone who was answered with a slot has claimed it by asking. */
export function changesOfEntering(result: EnterResult): LateChange[] {
  return result.status === 'active' ? [{ kind: 'slot', slot: result.slot, claimed: true }] : [];
}

/** Nobody waited for the answer, so nobody has a ticket for the place or has claimed the slot. */
export function changesOfBufferedEntry(userId: string): (result: EnterResult) => LateChange[] {
  return (result) => {
    if (result.status === 'active') return [{ kind: 'slot', slot: result.slot, claimed: false }];
    return result.status === 'waiting' ? [{ kind: 'place', userId, order: result.order }] : [];
  };
}

export function changesOfLeaving(result: LeaveResult): LateChange[] {
  switch (result.left) {
    case 'place':
      return [{ kind: 'spent', order: result.order }];
    case 'slot':
      return changesOfEnding(result.slot);
    default:
      return [];
  }
}

export function changesOfEndSlot(result: EndSlotResult): LateChange[] {
  return result.ended ? changesOfEnding(result.slot) : [];
}

export function changesOfAdmission({ admitted }: AdmitResult): LateChange[] {
  return admitted.map((slot) => ({ kind: 'slot', slot, claimed: false }));
}

type WrittenChange = Exclude<StoreChange, { kind: 'unspent' }>;

/**
 * Of what was read for the journal and can no longer be written, because its epoch is over. A place that was given back
 * keeps its slot instead, which may be claimed anew. The mark of a slot's place comes with the slot.
 */
export function lateChanges(changes: readonly StoreChange[]): WrittenChange[] {
  const slots = changes.flatMap((change) => (change.kind === 'slot' ? [change.slot] : []));
  const slotOrders = new Set<PlaceOrder>(slots.map(({ order }) => order));
  const returned = new Set<string>();
  return changes.filter((change, index): change is WrittenChange => {
    switch (change.kind) {
      case 'slot':
        return true;
      case 'spent':
        return !slotOrders.has(change.order);
      case 'slot-ended':
        return !returned.has(change.slotId);
      case 'unspent': {
        // The end of the slot follows at once: the two are one step of the store.
        const next = changes[index + 1];
        if (next?.kind === 'slot-ended') returned.add(next.slotId);
        return false;
      }
      default:
        return assertNever(change);
    }
  });
}

/** The slot comes first: nobody else may have told of it, and its id has to be denied until its end. */
function changesOfEnding(slot: Slot): LateChange[] {
  const { order, userId, slotId } = slot;
  return [
    { kind: 'slot', slot, claimed: true },
    { kind: 'spent', order },
    { kind: 'slot-ended', userId, slotId },
  ];
}
