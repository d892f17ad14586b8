import { assert } from '#platform/assert.ts';
import type { PlaceOrder } from '../../domain/place-order.ts';
import type { AdmitResult, EnterResult, UserTrace } from '../../ports.ts';
import { createFlushLaw } from './flush-law.ts';
import type { Entry } from './operations.ts';
import { absentMs, type Played, tickMs, tier1Order, type View } from './play.ts';

/** How often a run came to where the laws matter: a run that never parks anybody proves nothing about parking. */
export type Tally = Record<
  | 'admitted'
  | 'parked'
  | 'returned'
  | 'dropped'
  | 'restored'
  | 'refused'
  | 'crowded'
  | 'over'
  | 'lost'
  | 'merged'
  | 'removed'
  | 'silent'
  | 'moved'
  | 'setBack'
  | 'kept',
  number
>;

export function emptyTally(): Tally {
  return {
    ...{ admitted: 0, parked: 0, returned: 0, dropped: 0, restored: 0 },
    ...{ refused: 0, crowded: 0, over: 0, lost: 0, merged: 0, removed: 0, silent: 0, kept: 0, moved: 0, setBack: 0 },
  };
}

/**
 * What must be true of every store after every operation, said without looking into one: only by what there is to see from
 * outside. Made anew for every run, because it remembers which places are over.
 */
export function createLaws(tally: Tally): { observe(played: Played): void } {
  const known = new Set<PlaceOrder>();
  const over = new Set<PlaceOrder>();
  const returned = new Set<PlaceOrder>();
  /** Shown in a rush, where another place may have ended them. */
  const perhapsOver = new Set<PlaceOrder>();
  let removed = false;
  /** From then on places may lie in the past of their slots; what the stores make of that is only compared. */
  let isSetBack = false;
  const flushes = createFlushLaw({ onPause: () => (tally.silent += 1) });
  const flushers = new Set<string>();

  return {
    observe(played) {
      const { operation, before, after, answer } = played;
      if (operation.do === 'setBack') {
        isSetBack = true;
        tally.setBack += 1;
      }
      if (isSetBack) return timelessly(after);
      if (operation.do === 'remove' && before !== null) noteRemoval(before, after);
      if (after === null) return;
      noteFlushes(played);
      for (const { order } of after.traces) if (order !== null) known.add(order);
      positionsFollowOrders(after);
      countsAreTrue(after);
      if (before === null || before.snapshot.epoch !== after.snapshot.epoch) return beginAnew(after, played);

      if (operation.do === 'merge') return mergeIsFair(before, after);
      // The answers have the types of what was called; play.ts hands them on as they came.
      if (operation.do === 'enter') enteringIsFair(played, before, after, answer as EnterResult);
      if (operation.do === 'rush') noteShown(played, operation.entries);
      if (operation.do === 'rush') rushIsFair(before, after, answer as EnterResult[]);
      for (const [user, now] of after.traces.entries()) {
        const then = before.traces[user];
        const tickets = played.shown.filter((each) => each.user === user).map(({ order }) => order);
        if (then !== undefined) placeStays(then, now, operation.do, tickets);
      }
      for (const { order } of after.traces) {
        assert(order === null || !over.has(order), `the place ${order} was over and is held again`);
      }
      if (operation.do === 'admit') admissionIsFair(played, after, answer as AdmitResult);
      if (operation.do === 'tick') for (const step of answer as AdmitResult[]) neverOvershoots(step);
    },
  };

  /** What holds whatever the time is. */
  function timelessly(after: View | null): void {
    if (after === null) return;
    positionsFollowOrders(after);
    countsAreTrue(after);
  }

  /** At each step of a tick those flush that are not silent, as play.ts has it. */
  function noteFlushes({ operation, nowMs, answer, before, after }: Played): void {
    if (operation.do === 'flush') {
      if (operation.isLeaving) flushers.delete(operation.by);
      else flushers.add(operation.by);
    }
    if (before?.snapshot.epoch !== after?.snapshot.epoch) {
      flushes.reset();
      return;
    }
    if (operation.do === 'flush') flushes.flushed({ ...operation, nowMs });
    if (operation.do === 'admit') flushes.stepped({ parked: (answer as AdmitResult).parked, nowMs });
    if (operation.do !== 'tick') return;
    const flushing = [...flushers].filter((by) => !operation.silent.includes(by));
    for (const [index, { parked }] of (answer as AdmitResult[]).entries()) {
      const atMs = nowMs - (operation.times - 1 - index) * tickMs;
      for (const by of flushing) flushes.flushed({ by, isLeaving: false, nowMs: atMs });
      flushes.stepped({ parked, nowMs: atMs });
    }
  }

  /** What the journal has is over, except where the slot is live again. What it did not have yet is as if it never happened. */
  function beginAnew(after: View, { isJournaledAsOver, isJournaledAsReturned }: Played): void {
    tally.lost += 1;
    for (const order of returned) if (!isJournaledAsReturned(order)) returned.delete(order);
    tally.kept += returned.size;
    // Nothing is lost by a removal: what was over before it is over after it.
    if (!removed) over.clear();
    removed = false;
    const held = new Set(after.traces.map(({ order }) => order));
    for (const order of known) if (isJournaledAsOver(order) && !held.has(order)) over.add(order);
  }

  function noteRemoval(before: View, after: View | null): void {
    if (after !== null) return;
    const { waiting, parked, active, denied } = before.snapshot;
    assert(waiting + parked + active + denied.length === 0, 'an event was removed that somebody needs');
    removed = true;
    tally.removed += 1;
  }

  /** From one operation to the next a user keeps place and slot, or the place is over for good, or it was only forgotten. */
  function placeStays(then: UserTrace, now: UserTrace, operation: string, tickets: readonly PlaceOrder[]): void {
    if (then.order === null) {
      assert(now.order === null || operation === 'enter' || operation === 'rush', `${operation} made a place`);
      return;
    }
    if (now.order !== null && now.order !== then.order) {
      assert(then.place !== 'active', `who shops at ${then.order} waits at ${now.order}`);
      const isEarlier = now.order < then.order && tickets.includes(now.order);
      assert(isEarlier, `a place moved from ${then.order} to ${now.order}`);
      over.add(then.order);
      tally.moved += 1;
      return;
    }
    if (now.order !== null) {
      const sameSlot = then.slot !== null && then.slot.slotId === now.slot?.slotId;
      assert(!sameSlot || then.slot?.endsAtMs === now.slot?.endsAtMs, `the slot ${then.slot?.slotId} was extended`);
      // Without a place but with an order: its slot ended unclaimed, and the next step or question gives the place back.
      const hadSlot = then.place === 'active' || then.place === 'none';
      if (hadSlot && !sameSlot && now.place !== 'none') placeWasReturned(then.order, operation);
      return;
    }
    if (operation === 'forget') {
      assert(then.place !== 'active', `someone in a slot was forgotten`);
      return;
    }
    const ends = ['leave', 'clear', 'endSlot', 'admit', 'tick', 'wait', 'enter', 'rush'];
    assert(ends.includes(operation), `${operation} ended the place ${then.order}`);
    over.add(then.order);
    tally.over += 1;
  }

  /** Late news give nobody a place that is over, and nobody a slot that there is no room for. */
  function mergeIsFair(before: View, after: View): void {
    const held = new Set(after.traces.map(({ order }) => order));
    for (const [user, now] of after.traces.entries()) {
      const then = before.traces[user];
      if (then === undefined || then.order === now.order) continue;
      assert(now.order === null || !over.has(now.order), `the place ${now.order} was over and is held again`);
      // A number of tier 1 that somebody else had taken since the loss may be the one of the slot.
      if (then.order !== null && !held.has(then.order)) over.add(then.order);
    }
    const { active, settings } = after.snapshot;
    assert(active <= Math.max(before.snapshot.active, settings.threshold), `${active} in slots after a merge`);
    tally.merged += 1;
  }

  function placeWasReturned(order: PlaceOrder, operation: string): void {
    assert(['admit', 'tick', 'enter', 'rush'].includes(operation), `${operation} gave the place ${order} back`);
    assert(!returned.has(order), `the place ${order} was given back twice`);
    returned.add(order);
    tally.returned += 1;
  }

  function admissionIsFair({ nowMs }: Played, after: View, answer: AdmitResult): void {
    neverOvershoots(answer);
    const orders = answer.admitted.map(({ order }) => order);
    const inOrder = orders.every((order, index) => index === 0 || order > (orders[index - 1] ?? 0));
    assert(inOrder, 'admitted out of order');
    const last = orders.at(-1) ?? 0;
    for (const { place, order, seenAtMs } of after.traces) {
      if (order === null || order >= last) continue;
      assert(place !== 'waiting', `the place ${order} was passed by ${last}`);
      assert(place !== 'parked' || nowMs - (seenAtMs ?? 0) >= absentMs, `the place ${order} was passed though present`);
    }
  }

  function neverOvershoots({ admitted, active, threshold, parked, dropped }: AdmitResult): void {
    assert(admitted.length === 0 || active <= threshold, `${active} in slots, ${threshold} allowed`);
    tally.admitted += admitted.length;
    tally.parked += parked;
    tally.dropped += dropped;
  }

  function enteringIsFair(played: Played, before: View, after: View, answer: EnterResult): void {
    const { operation, ticketOrder } = played;
    if (operation.do !== 'enter') return;
    if (answer.status === 'number-taken') tally.refused += 1;
    const then = before.traces[operation.user];
    const { waiting, parked } = before.snapshot;
    if (answer.status === 'active' && then?.place !== 'active') {
      assert(waiting + parked === 0, 'a slot at once, past those who wait');
      const { active, settings } = after.snapshot;
      assert(active <= settings.threshold, `${active} in slots, ${settings.threshold} allowed`);
    }
    if (ticketOrder === undefined || then === undefined) return;
    if (then.order !== null) {
      onePlaceCounts(played, { ticketOrder, then, held: before.traces }, after.traces[operation.user]);
      return;
    }
    const given = answer.status === 'waiting' ? answer.order : answer.status === 'active' ? answer.slot.order : null;
    if (over.has(ticketOrder)) {
      assert(given !== ticketOrder, `the ticket of ${ticketOrder} gave the place again, which was over`);
      return;
    }
    const heldByAnother = before.traces.some(({ order }) => order === ticketOrder);
    // What was told late may have ended it.
    const mayBeOver = heldByAnother || played.isToldLate(ticketOrder) || perhapsOver.has(ticketOrder);
    assert(mayBeOver || given === ticketOrder, `the ticket of ${ticketOrder} did not give the place back`);
    tally.restored += 1;
  }

  /** Within a rush one user may take the place of a number or a ticket, and leave it for that of another ticket. */
  function noteShown({ shown }: Played, entries: readonly Entry[]): void {
    for (const { order } of shown) perhapsOver.add(order);
    for (const { numbered } of entries) if (numbered !== null) perhapsOver.add(tier1Order(numbered));
  }

  /** Of two places the earlier one; in a slot that is claimed no other. The later one is over. */
  function onePlaceCounts(
    { isToldLate }: Played,
    { ticketOrder, then, held }: { ticketOrder: PlaceOrder; then: UserTrace; held: readonly UserTrace[] },
    now: UserTrace | undefined,
  ): void {
    if (then.order === null || ticketOrder === then.order || now?.order === undefined || now.order === null) return;
    if (over.has(ticketOrder) || held.some(({ order }) => order === ticketOrder)) return;
    if (now.place === 'active') {
      if (now.slot?.claimed === true) over.add(ticketOrder);
      return;
    }
    const mayBeOver = isToldLate(ticketOrder) || perhapsOver.has(ticketOrder);
    const earlier = Math.min(then.order, ticketOrder);
    assert(mayBeOver || now.order === earlier, `the earlier place ${earlier} did not count, but ${now.order}`);
    if (ticketOrder > now.order) over.add(ticketOrder);
  }

  /** However many come in one turn, slots are given while nobody waits, and no more than the threshold allows. */
  function rushIsFair(before: View, after: View, answers: readonly EnterResult[]): void {
    const lastGranted = answers.findLastIndex((answer) => answer.status === 'active' && answer.fresh);
    if (lastGranted === -1) return;
    const firstPlaced = answers.findIndex(({ status }) => status === 'waiting');
    const { waiting, parked } = before.snapshot;
    assert(waiting + parked === 0, 'a slot at once, past those who wait');
    assert(firstPlaced === -1 || lastGranted < firstPlaced, 'a slot at once, past one who has just entered');
    const { active, settings } = after.snapshot;
    assert(active <= settings.threshold, `${active} in slots, ${settings.threshold} allowed`);
    if (firstPlaced !== -1) tally.crowded += 1;
  }
}

function positionsFollowOrders({ traces }: View): void {
  const waiting = traces.filter(({ place }) => place === 'waiting').sort((a, b) => (a.order ?? 0) - (b.order ?? 0));
  for (const [index, { position, order }] of waiting.entries()) {
    assert(position === index + 1, `the place ${order} is at position ${position}, not ${index + 1}`);
  }
}

function countsAreTrue({ traces, snapshot }: View): void {
  for (const place of ['waiting', 'parked', 'active'] as const) {
    const found = traces.filter((trace) => trace.place === place).length;
    assert(snapshot[place] === found, `${snapshot[place]} are said to be ${place}, ${found} are`);
  }
  const orders = traces.map(({ order }) => order).filter((order) => order !== null);
  assert(new Set(orders).size === orders.length, 'two users hold the same place');
}
