import { expect, test } from 'vitest';
import type { QueueView } from '../queue/queue-view.ts';
import { aReservation } from '../reservations/testing/a-reservation.ts';
import { currentHold, hearNews, nothingTold, rememberHold } from './known-hold.ts';
import { type StageFacts, slotKnowledge, stageOf } from './stage.ts';

const facts: StageFacts = {
  slot: 'has',
  hadSlot: true,
  hold: 'none',
  isChanging: false,
  isDismissed: false,
  hasAskedHold: false,
};

test.each<[string, Partial<StageFacts>, string]>([
  ['a slot lets one choose', {}, 'choosing'],
  ['what is held is shown', { hold: 'held' }, 'held'],
  ['what is held can be changed', { hold: 'held', isChanging: true }, 'choosing'],
  ['but not without a slot', { hold: 'held', isChanging: true, slot: 'none' }, 'held'],
  ['a payment under way is shown whatever else', { hold: 'paying', slot: 'none', hadSlot: false }, 'held'],
  ['what is paid for leads to the tickets, also when the slot has ended', { hold: 'booked', slot: 'none' }, 'booked'],
  ['the end of a hold is told', { hold: 'over' }, 'hold-over'],
  ['until it was seen', { hold: 'over', isDismissed: true }, 'choosing'],
  ['the end of the slot is told where it happens', { slot: 'none' }, 'slot-over'],
  ['who comes without a slot is asked about a hold first', { slot: 'none', hadSlot: false }, 'checking'],
  ['and then led to the line', { slot: 'none', hadSlot: false, hasAskedHold: true }, 'to-queue'],
  ['a slot that is being checked leads nowhere yet', { slot: 'checking', hadSlot: false }, 'checking'],
])('%s', (_, more, stage) => {
  expect(stageOf({ ...facts, ...more })).toBe(stage);
});

test('a slot is known from the queue', () => {
  const turn: QueueView = { kind: 'turn', slotEndsAtMs: 1_000, event: null };
  expect([slotKnowledge(turn, 999), slotKnowledge(turn, 1_000), slotKnowledge(null, 0)]).toEqual([
    'has',
    'none',
    'none',
  ]);
  expect(slotKnowledge({ kind: 'entering', problem: null, event: null }, 0)).toBe('checking');
});

test('what was just held or given up counts more than a map that is a moment behind', () => {
  const held = aReservation();
  const told = hearNews(nothingTold, { held, endedId: null });
  expect(currentHold(told, null)).toBe(held);
  const over = hearNews(told, { held: null, endedId: held.id });
  expect(currentHold(over, held)).toBeNull();
  const newer = aReservation({ id: 'newer', createdAt: '2026-12-01T11:01:00.000Z' });
  expect(currentHold(over, newer)).toBe(newer);
  const swapped = hearNews(told, { held: newer, endedId: held.id });
  expect(currentHold(swapped, held)).toBe(newer);
});

test('what was paid for is no longer held, though the map has forgotten it', () => {
  const booked = aReservation({ status: 'confirmed' });
  const told = hearNews(hearNews(nothingTold, { held: aReservation(), endedId: null }), {
    held: booked,
    endedId: null,
  });
  expect(currentHold(told, null)).toBe(booked);
  expect(currentHold(told, aReservation({ status: 'paying' }))).toBe(booked);
});

test('what the map has shown is remembered when the map forgets it, unless it was given up', () => {
  const held = aReservation();
  expect(currentHold(rememberHold(nothingTold, held), null)).toBe(held);
  const paying = aReservation({ status: 'paying' });
  expect(currentHold(rememberHold(rememberHold(nothingTold, held), paying), null)).toBe(paying);
  const over = hearNews(nothingTold, { held: null, endedId: held.id });
  expect(rememberHold(over, held)).toBe(over);
});

test('the server knows better how a hold stands', () => {
  const paying = aReservation({ status: 'paying' });
  expect(currentHold(hearNews(nothingTold, { held: aReservation(), endedId: null }), paying)).toBe(paying);
  expect(currentHold(nothingTold, paying)).toBe(paying);
});
