import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lookOf, type SeatState } from './seat.ts';
import { createSeatBoard, type SeatFact } from './seat-board.ts';

const held = (seatNo: number, fence: number, heldUntilMs: number): SeatFact => ({
  seatNo,
  state: 1,
  fence,
  step: 0,
  heldUntilMs,
});
const aBoard = () => createSeatBoard({ gradeOfSeat: Uint8Array.of(0, 0, 1, 1), gradeCount: 2 });

test.each([
  [999, 1, [1, 2]],
  [1_000, 0, [2, 2]],
  [1_001, 0, [2, 2]],
])('a hold until 1000 is, at %d, look %d', (nowMs, look, left) => {
  const board = aBoard();
  board.apply(held(0, 1, 1_000), 500);
  board.settle(nowMs);
  expect([board.looks[0], [...board.leftByGrade]]).toEqual([look, left]);
});

test('a hold that was extended, pinned or sold does not lapse at its first end', () => {
  const board = aBoard();
  for (const seatNo of [0, 1, 2]) board.apply(held(seatNo, 1, 1_000), 0);
  board.apply({ seatNo: 0, state: 1, fence: 1, step: 1, heldUntilMs: 2_000 }, 0);
  board.apply({ seatNo: 1, state: 2, fence: 1, step: 1, heldUntilMs: null }, 0);
  board.apply({ seatNo: 2, state: 3, fence: 1, step: 1, heldUntilMs: null }, 0);
  expect(board.settle(1_000)).toBe(0);
  expect([...board.looks]).toEqual([1, 1, 2, 0]);
  expect(board.settle(2_000)).toBe(1);
  expect([...board.looks]).toEqual([0, 1, 2, 0]);
});

test('a lapsed hold that somebody else took over is not freed by what is left of the first', () => {
  const board = aBoard();
  board.apply(held(0, 1, 1_000), 0);
  board.apply(held(0, 2, 5_000), 1_500);
  board.apply({ seatNo: 0, state: 0, fence: 1, step: 1, heldUntilMs: null }, 1_500);
  expect(board.settle(1_500)).toBe(0);
  expect(board.looks[0]).toBe(1);
});

test('those who watch are told of every seat that becomes free or stops being so', () => {
  const board = aBoard();
  const told: unknown[] = [];
  board.onFree((...change) => told.push(change));
  board.apply(held(3, 1, 1_000), 0);
  board.apply({ seatNo: 3, state: 2, fence: 1, step: 1, heldUntilMs: null }, 0);
  board.apply(held(2, 1, 1_000), 0);
  board.settle(1_000);
  expect(told).toEqual([
    [3, false],
    [2, false],
    [2, true],
  ]);
});

test('facts in any order and any number of times end as the newest of each seat', () => {
  const fact = fc.record({
    seatNo: fc.nat(3),
    state: fc.constantFrom<SeatState[]>(0, 1, 2, 3, 4),
    fence: fc.integer({ min: 0, max: 3 }),
    step: fc.integer({ min: 1, max: 3 }),
    heldUntilMs: fc.integer({ min: 1, max: 20 }),
  });
  const facts = fc.uniqueArray(fact, {
    selector: ({ seatNo, fence, step }) => `${seatNo} ${fence} ${step}`,
    maxLength: 30,
  });
  fc.assert(
    fc.property(facts, fc.nat(20), fc.infiniteStream(fc.nat()), (each, nowMs, order) => {
      const board = aBoard();
      const shuffled = [...each, ...each]
        .map((one) => [order.next().value as number, one] as const)
        .sort((a, b) => a[0] - b[0]);
      for (const [at, one] of shuffled) {
        board.apply(one, at % 20);
        board.settle(at % 20);
      }
      board.settle(nowMs);
      const looks = [0, 1, 2, 3].map((seatNo) => {
        const [newest] = each
          .filter((one) => one.seatNo === seatNo)
          .sort((a, b) => b.fence - a.fence || b.step - a.step);
        // Time does not go back: what was free at a later moment stays free.
        return newest === undefined ? 0 : lookOf(newest, Math.max(nowMs, 20));
      });
      board.settle(20);
      expect([...board.looks]).toEqual(looks);
      expect([...board.leftByGrade]).toEqual(
        [0, 2].map((at) => looks.slice(at, at + 2).filter((look) => look === 0).length),
      );
    }),
  );
});
