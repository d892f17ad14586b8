import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import type { Sale } from '#modules/ticketing/testing/a-sale.ts';
import { setDatabaseClock } from '#test/kit/database-clock.ts';
import { aPayDesk, type PayDesk } from '#test/kit/payments/pay-desk.ts';
import { aPlayedProvider, type PlayedProvider } from '#test/kit/payments/played-provider.ts';

/* What the terms of refund keep, order by order: tickets of 50,000 and a fee of 3,000, bought 30 days before the show. */

const dayMs = 86_400_000;
const boughtMs = Date.parse('2027-03-01T12:00:00+09:00');
let provider: PlayedProvider;
let desk: PayDesk;
let sale: Sale;

beforeEach(async () => {
  provider = aPlayedProvider();
  desk = await aPayDesk(provider);
  await onDay(0);
  sale = await desk.sale({ priceKrw: 50_000, nowMs: boughtMs });
});

const onDay = (day: number) => setDatabaseClock(desk.database, new Date(boughtMs + day * dayMs));
const staff = { userId: randomUUID(), role: 'operator' };
const cancelPayment = (paymentKey: string, by: { userId: string; role?: string }, body: object = {}) =>
  desk.call('cancelPayment', { ...by, key: randomUUID(), params: { paymentKey }, body: { reason: 'x', ...body } });

test('by the payment its owner gets what the terms say, and staff give everything back', async () => {
  const own = await desk.buy(sale, { seatNos: [0, 1] });
  const helped = await desk.buy(sale, { seatNos: [2, 3] });
  await onDay(29);
  const [one] = await desk.ticketsOf(own.held);
  await cancelPayment(own.paymentKey, { userId: own.held.userId }, { ticketIds: [one?.id] });
  await cancelPayment(helped.paymentKey, staff);
  await desk.settle();
  expect(provider.moneyOf(own.orderId)).toBe(own.held.totalKrw - 35_000);
  expect(provider.moneyOf(helped.orderId)).toBe(0);
  await desk.cancel(own.held);
  await desk.settle();
  expect(provider.moneyOf(own.orderId)).toBe(36_000);
  expect(await desk.statusOf(own.held)).toMatchObject({ status: 'cancelled', paymentStatus: 'refunded' });
});

test('goodwill may give back what was kept, and not a won more', async () => {
  const { held, orderId, paymentKey } = await desk.buy(sale, { seatNos: [0] });
  await onDay(25);
  await desk.cancel(held);
  await desk.settle();
  expect(await cancelPayment(paymentKey, staff, { amountKrw: 13_001 })).toMatchObject({
    code: 'PAYMENT_NOT_REFUNDABLE',
  });
  await cancelPayment(paymentKey, staff, { amountKrw: 13_000 });
  await desk.settle();
  expect(provider.moneyOf(orderId)).toBe(0);
});

test('goodwill of the whole price leaves the ticket, and nothing is left to go back for it', async () => {
  const { held, paymentKey, orderId } = await desk.buy(sale, { seatNos: [0] });
  await cancelPayment(paymentKey, staff, { amountKrw: held.totalKrw });
  await desk.settle();
  expect(await desk.ticketsOf(held)).toMatchObject([{ state: 'issued' }]);
  await desk.cancel(held);
  await desk.settle();
  expect([provider.moneyOf(orderId), provider.refundsOf(orderId).length]).toEqual([0, 1]);
});

test('all that is left given back at the provider’s console, also what was kept, and the other ticket goes with it', async () => {
  const { held, orderId, paymentKey } = await desk.buy(sale, { seatNos: [0, 1] });
  await onDay(25);
  const [one] = await desk.ticketsOf(held);
  await desk.cancel(held, [one?.id ?? '']);
  await desk.settle();
  provider.refundElsewhere(paymentKey, provider.moneyOf(orderId));
  await desk.hint({ paymentKey });
  await desk.settle();
  expect(await desk.statusOf(held)).toMatchObject({ status: 'cancelled', paymentStatus: 'refunded' });
});
