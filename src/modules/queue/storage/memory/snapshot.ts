import type { PlaceOrder } from '../../domain/place-order.ts';
import { breakpointRanks } from '../../domain/ranks.ts';
import type { DeniedMark, StoreDump, StoreSnapshot, UserTrace } from '../../ports.ts';
import { tidied } from '../dump.ts';
import { type EventState, liveSlotOf, liveSlots, positionOf } from './event-state.ts';

export function snapshot(state: EventState, call: { nowMs: number; deniedSince?: DeniedMark }): StoreSnapshot {
  const { nowMs, deniedSince } = call;
  const { epoch } = state;
  const known = deniedSince?.epoch === epoch ? deniedSince.serial : 0;
  return {
    status: 'ok',
    epoch,
    era: state.era,
    atMs: nowMs,
    watermark: state.watermark,
    waiting: state.queue.size(),
    parked: state.parked.size(),
    active: liveSlots(state, nowMs),
    settings: state.settings,
    settingsVersion: state.settingsVersion,
    room: state.room,
    numbered: state.numbered,
    recovering: nowMs < state.recoveringUntilMs,
    admittedPerSecond: state.admissions.lastMinute(nowMs),
    totals: { ...state.totals },
    breakpoints: breakpointRanks(state.queue.size()).map((rank) => ({ rank, order: state.queue.at(rank - 1).score })),
    denied: state.denied.since(known).filter(({ untilMs }) => untilMs > nowMs),
    deniedMark: { epoch, serial: state.denied.serial() },
    cleared: state.cleared,
  };
}

export function trace(state: EventState, userId: string, nowMs: number): UserTrace {
  const held = liveSlotOf(state, userId, nowMs);
  if (held !== undefined) {
    const { slot, claimed, seenAtMs } = held;
    const returned = state.returned.has(slot.order);
    const shown = { ...slot, claimed };
    return { status: 'ok', place: 'active', order: slot.order, position: null, seenAtMs, slot: shown, returned };
  }
  const person = state.people.get(userId);
  if (person === undefined) {
    const order = orderToComeBackTo(state, userId);
    return { status: 'ok', place: 'none', order, position: null, seenAtMs: null, slot: null, returned: false };
  }
  const { order, seenAtMs, parked } = person;
  return {
    status: 'ok',
    place: parked ? 'parked' : 'waiting',
    order,
    position: parked ? null : positionOf(state, person),
    seenAtMs,
    slot: null,
    returned: state.returned.has(order),
  };
}

/** Of a slot that ended unclaimed, for the first time, before anybody looked. */
function orderToComeBackTo(state: EventState, userId: string): PlaceOrder | null {
  const held = state.slots.get(userId);
  if (held === undefined || held.claimed || state.returned.has(held.slot.order)) return null;
  return held.slot.order;
}

export function dump(state: EventState, nowMs: number): StoreDump {
  const { epoch, era, sequence, watermark, room } = state;
  return tidied({
    status: 'ok',
    ...{ epoch, era, sequence, watermark, room },
    from: state.changes.oldest(0).from,
    slots: [...state.slots.values()].map(({ slot, claimed }) => ({ ...slot, claimed })),
    returned: [...state.returned],
    spent: state.spent.chunks(),
    denied: snapshot(state, { nowMs }).denied,
  });
}
