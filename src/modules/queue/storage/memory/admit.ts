import { assert } from '#platform/assert.ts';
import { type AdmitCall, type AdmitResult, freeMax, type Slot } from '../../ports.ts';
import {
  admitting,
  dropOldDenials,
  type EventState,
  endOver,
  endSlotForGood,
  grantSlot,
  type HeldSlot,
  liveSlots,
  type Person,
  park,
  removePerson,
  takeBack,
} from './event-state.ts';
import type { ScoredSet } from './scored-set.ts';
import { absentUntil, claimTime, latestBefore, lateUntil, noteStep, seenAt } from './step-time.ts';

/** One admission step, as `QueueStore.admit` says. */
export function admit(state: EventState, call: AdmitCall, nowMs: number): AdmitResult {
  noteStep(state, call, nowMs);
  dropOldDenials(state, nowMs);
  const over = endFinished(state, nowMs);
  const late = takeBackUnclaimed(state, call.claimMs, nowMs);
  const unseen = call.activeSeenTtlMs === null ? 0 : endUnseen(state, call.activeSeenTtlMs, nowMs);
  const { admitted, parked } = admitting(state, nowMs) ? serveHeads(state, call, nowMs) : { admitted: [], parked: 0 };

  const active = liveSlots(state, nowMs);
  const { threshold } = state.settings;
  assert(admitted.length === 0 || active <= threshold, `${active} slots, more than ${threshold}`);
  return {
    status: 'ok',
    epoch: state.epoch,
    admitted,
    parked,
    ended: over.ended + unseen,
    returned: over.returned + late.returned,
    dropped: over.dropped + late.dropped,
    active,
    waiting: state.queue.size(),
    threshold,
    more: freesMore(state, call, nowMs) || (admitting(state, nowMs) && active < threshold && state.queue.size() > 0),
  };
}

function endFinished(state: EventState, nowMs: number): Freed {
  return freed(heldIn(state, state.ends, nowMs).map((held) => endOver(state, held, nowMs)));
}

function takeBackUnclaimed(state: EventState, claimMs: number, nowMs: number): Freed {
  const late = heldIn(state, state.unclaimed, lateUntil(state, claimMs, nowMs));
  return freed(late.map((held) => takeBack(state, held, nowMs)));
}

type Freed = Record<'ended' | 'returned' | 'dropped', number>;

function freed(outcomes: readonly (keyof Freed)[]): Freed {
  const count = (outcome: keyof Freed) => outcomes.filter((each) => each === outcome).length;
  return { ended: count('ended'), returned: count('returned'), dropped: count('dropped') };
}

/** Only claimed slots: anyone who never came is dealt with above, and keeps the place the first time. */
function endUnseen(state: EventState, activeSeenTtlMs: number, nowMs: number): number {
  const unseen = heldIn(state, state.claimedSeen, latestBefore(state, activeSeenTtlMs, nowMs));
  for (const held of unseen) endSlotForGood(state, held, nowMs);
  return unseen.length;
}

function serveHeads(state: EventState, call: AdmitCall, nowMs: number): { admitted: Slot[]; parked: number } {
  const admitted: Slot[] = [];
  let parked = 0;
  let free = state.settings.threshold - liveSlots(state, nowMs);
  const absentUntilMs = absentUntil(state, call.absentMs, nowMs);
  while (free > 0 && admitted.length < call.admitMax && parked < call.parkMax) {
    const head = state.queue.first();
    if (head === null) break;
    const person = personOf(state, head.member);
    if (seenAt(state, person.seenAtMs, nowMs) <= absentUntilMs) {
      park(state, person);
      parked += 1;
    } else {
      admitted.push(admitPerson(state, person, call, nowMs));
      free -= 1;
    }
  }
  return { admitted, parked };
}

function admitPerson(state: EventState, person: Person, call: AdmitCall, nowMs: number): Slot {
  const { userId, order } = person;
  removePerson(state, person);
  // Being admitted is no sign of life.
  const seenAtMs = seenAt(state, person.seenAtMs, nowMs);
  const held = { grantedAtMs: nowMs, claimFromMs: claimTime(state, nowMs), seenAtMs, claimed: false };
  return grantSlot(state, held, { userId, order, endsAtMs: nowMs + call.activeTtlMs });
}

function freesMore(state: EventState, call: AdmitCall, nowMs: number): boolean {
  const due = (set: ScoredSet, untilMs: number) => (set.first()?.score ?? Number.POSITIVE_INFINITY) <= untilMs;
  return (
    due(state.ends, nowMs) ||
    due(state.unclaimed, lateUntil(state, call.claimMs, nowMs)) ||
    (call.activeSeenTtlMs !== null && due(state.claimedSeen, latestBefore(state, call.activeSeenTtlMs, nowMs)))
  );
}

function heldIn(state: EventState, set: ScoredSet, untilMs: number): HeldSlot[] {
  return set.upTo(untilMs, freeMax).map(({ member }) => {
    const held = state.slots.get(member);
    assert(held !== undefined, `${member} has no slot`);
    return held;
  });
}

function personOf(state: EventState, userId: string): Person {
  const person = state.people.get(userId);
  assert(person !== undefined, `${userId} has no place`);
  return person;
}
