import { expect, test } from 'vitest';
import { canChoose, seatStateName } from './seat-state-name.ts';
import { toggleSeat, withoutTaken } from './selection.ts';

const rules = { isFree: (seatNo: number) => seatNo !== 7, max: 2 };

test('a press chooses a free seat, and the same press again drops it', () => {
  expect(toggleSeat([], 1, rules)).toEqual({ outcome: 'chosen', selection: [1] });
  expect(toggleSeat([1, 2], 1, rules)).toEqual({ outcome: 'dropped', selection: [2] });
});

test('a taken seat and one too many are refused, and the others stay', () => {
  expect(toggleSeat([1], 7, rules)).toEqual({ outcome: 'taken', selection: [1] });
  expect(toggleSeat([1, 2], 3, rules)).toEqual({ outcome: 'limit', selection: [1, 2] });
});

test('a seat that somebody was faster for goes, the others stay in their order', () => {
  expect(withoutTaken([3, 7, 1], rules.isFree)).toEqual({ selection: [3, 1], lost: [7] });
  const kept = [3, 1];
  expect(withoutTaken(kept, rules.isFree).selection).toBe(kept);
});

test('one’s own held seats can be chosen again, others’ cannot', () => {
  const seen = { states: Uint8Array.of(0, 1, 1, 2, 3), chosen: new Set([0]), mine: new Set([1]), lost: new Set([2]) };
  expect([0, 1, 2, 3, 4].map((seatNo) => seatStateName(seatNo, seen))).toEqual([
    'chosen',
    'mine',
    'lost',
    'sold',
    'blocked',
  ]);
  expect([0, 1, 2].map((seatNo) => canChoose(seatNo, seen))).toEqual([true, true, false]);
});
