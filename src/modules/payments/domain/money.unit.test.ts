import { expect, test } from 'vitest';
import { compareMoney, type OrderMoney, type TicketMoney } from './money.ts';

const paid: OrderMoney = {
  subject: 'r of user u',
  ...{ orderId: 'order', capturedKrw: 103_000, refundedKrw: 0, pendingKrw: 0, goodwillKrw: 0, cutKrw: 0, orphanKrw: 0 },
  ...{ acceptedKrw: 0, isUnderWay: false, isWithPerson: false, isTakenBack: false },
};
const sold: TicketMoney = {
  orderId: 'order',
  subjects: ['r of user u'],
  liveKrw: 103_000,
  keptKrw: 0,
  isUnderWay: false,
};

test('a paid order with its tickets agrees', () => {
  expect(compareMoney(paid, sold)).toBe('agree');
});

test.each([
  ['money without a ticket', paid, null],
  ['a ticket without money', null, sold],
  ['a won too much captured', { ...paid, capturedKrw: 103_001 }, sold],
  ['a ticket that was cancelled, and nothing went back', paid, { ...sold, liveKrw: 0 }],
  ['money that went back for a live ticket', { ...paid, refundedKrw: 103_000 }, sold],
  ['an order of another reservation or user', { ...paid, subject: 'r of user v' }, sold],
  ['a capture for nothing that stays', { ...paid, orphanKrw: 500 }, sold],
])('%s is a contradiction that names the order', (_, money, tickets) => {
  expect(compareMoney(money, tickets)).toMatchObject({ problem: expect.stringContaining('order order') });
});

test('a cancellation keeps its fee, whether its money has gone or is on its way', () => {
  const cancelled = { ...sold, liveKrw: 0, keptKrw: 13_000 };
  expect(compareMoney({ ...paid, refundedKrw: 90_000 }, cancelled)).toBe('agree');
  expect(compareMoney({ ...paid, pendingKrw: 90_000 }, cancelled)).toBe('agree');
});

test('goodwill voids nothing, and what it gave is cut off a later refund', () => {
  expect(compareMoney({ ...paid, refundedKrw: 5_000, goodwillKrw: 5_000 }, sold)).toBe('agree');
  const all = { ...paid, refundedKrw: 103_000, goodwillKrw: 5_000, cutKrw: 5_000 };
  expect(compareMoney(all, { ...sold, liveKrw: 0 })).toBe('agree');
});

test('what was kept may be gone only where somebody took all of the money back, and no ticket is left', () => {
  const cancelled = { ...sold, liveKrw: 0, keptKrw: 13_000 };
  const gone = { ...paid, refundedKrw: 103_000, isTakenBack: true };
  expect(compareMoney(gone, cancelled)).toBe('agree');
  expect(compareMoney({ ...gone, isTakenBack: false }, cancelled)).toMatchObject({ problem: expect.any(String) });
  expect(compareMoney({ ...gone, refundedKrw: 102_999 }, cancelled)).toMatchObject({ problem: expect.any(String) });
  expect(compareMoney(gone, { ...cancelled, liveKrw: 1 })).toMatchObject({ problem: expect.any(String) });
});

test('what is under way or with a person is no contradiction yet', () => {
  expect(compareMoney({ ...paid, isUnderWay: true }, null)).toBe('under-way');
  expect(compareMoney(paid, { ...sold, liveKrw: 0, isUnderWay: true })).toBe('under-way');
  expect(compareMoney({ ...paid, isWithPerson: true }, null)).toBe('with-person');
});

test('what a person has settled in another way is owed no longer, to the won', () => {
  const cancelled = { ...sold, liveKrw: 0 };
  expect(compareMoney({ ...paid, acceptedKrw: 103_000 }, cancelled)).toBe('agree');
  expect(compareMoney({ ...paid, acceptedKrw: 102_999 }, cancelled)).toMatchObject({ problem: expect.any(String) });
});
