import { beforeEach, expect, test } from 'vitest';
import type { Held } from '#modules/ticketing/testing/a-hold.ts';
import type { Sale } from '#modules/ticketing/testing/a-sale.ts';
import { aPayDesk, type PayDesk } from '#test/kit/payments/pay-desk.ts';
import { aPlayedProvider, type PlayedProvider } from '#test/kit/payments/played-provider.ts';

/* Virtual accounts: the deposit comes, comes late, does not come, is taken back, or comes after that. */

let provider: PlayedProvider;
let desk: PayDesk;
let sale: Sale;
let held: Held;
let orderId: string;
const paymentKey = 'the-account';

beforeEach(async () => {
  provider = aPlayedProvider();
  desk = await aPayDesk(provider);
  sale = await desk.sale({ priceKrw: 50_000 });
  held = await desk.hold(sale, { seatNos: [0, 1] });
  orderId = await desk.prepare(held, 'virtual_account');
  provider.captures.push('waits');
  expect(await desk.confirm(held, orderId, { paymentKey })).toMatchObject({
    status: 200,
    body: { payment: { status: 'waiting_for_deposit', account: { number: '110-1' } } },
  });
  await desk.deliver();
  expect(await desk.statusOf(held)).toMatchObject({ status: 'waiting_for_deposit' });
});

const paymentStatus = async () =>
  (await desk.database.query<{ status: string }>('SELECT status FROM payments.payments')).rows[0]?.status;

async function paid(): Promise<void> {
  provider.deposit(paymentKey);
  await desk.hint({ paymentKey });
  await desk.settle();
}

test('the seats stay until the deposit comes, and then there are tickets', async () => {
  await desk.later(29 * 60_000);
  await desk.run('payments-checks');
  expect(await desk.statusOf(held)).toMatchObject({ status: 'waiting_for_deposit' });
  await paid();
  expect(await desk.statusOf(held)).toMatchObject({ status: 'confirmed', paymentStatus: 'paid' });
});

test('a deposit that came in time and was not heard of counts when the deadline is over', async () => {
  provider.deposit(paymentKey);
  await desk.later(31 * 60_000);
  await desk.run('payments-checks');
  await desk.settle();
  expect(await desk.statusOf(held)).toMatchObject({ status: 'confirmed' });
  expect(provider.moneyOf(orderId)).toBe(held.totalKrw);
});

test('a deposit that did not come in time lets the seats go; one that comes afterwards goes back', async () => {
  await desk.later(31 * 60_000);
  await desk.run('payments-checks');
  await desk.deliver();
  expect(await paymentStatus()).toBe('expired');
  expect(await desk.statusOf(held)).toMatchObject({ status: 'expired' });
  await paid();
  expect(provider.moneyOf(orderId)).toBe(0);
  expect(await desk.ticketsOf(held)).toEqual([]);
});

test('a provider that is away at the deadline keeps the seats until it can say what it has', async () => {
  provider.isAway = true;
  await desk.later(31 * 60_000);
  await desk.run('payments-checks');
  await desk.deliver();
  expect(await desk.statusOf(held)).toMatchObject({ status: 'waiting_for_deposit' });
  provider.isAway = false;
  await desk.later(10 * 60_000);
  await desk.run('payments-checks');
  await desk.settle();
  expect(await desk.statusOf(held)).toMatchObject({ status: 'expired' });
});

test('cancelled while it waits: the account is closed at once, and a deposit that still comes goes back', async () => {
  await desk.cancel(held);
  await desk.deliver();
  await desk.run('payments-checks');
  await desk.deliver();
  expect(await desk.statusOf(held)).toMatchObject({ status: 'released' });
  await paid();
  expect(provider.moneyOf(orderId)).toBe(0);
});

test('a deposit that is taken back takes the tickets with it and frees the seats; the account is closed', async () => {
  await paid();
  provider.takeBack(paymentKey);
  await desk.hint({ paymentKey });
  await desk.run('payments-checks');
  const report = await desk.settle();
  expect(report).toMatchObject({ capturedKrw: held.totalKrw, refundedKrw: held.totalKrw });
  expect(await desk.statusOf(held)).toMatchObject({ status: 'cancelled', paymentStatus: 'refunded' });
  expect(provider.books.get(paymentKey)).toMatchObject({ status: 'expired' });
  expect(await desk.hold(sale, { seatNos: [0, 1] })).toMatchObject({ fences: [2, 2] });
  // Told again, nothing more happens.
  await desk.hint({ paymentKey });
  expect(await desk.settle()).toEqual(report);
});

test('a deposit that comes after one was taken back goes back, however often', async () => {
  await paid();
  provider.takeBack(paymentKey);
  await desk.hint({ paymentKey });
  await desk.run('payments-checks');
  for (const times of [1, 2]) {
    await paid();
    expect([provider.moneyOf(orderId), provider.refundsOf(orderId).length]).toEqual([0, times]);
  }
  expect(await desk.statusOf(held)).toMatchObject({ status: 'cancelled', paymentStatus: 'refunded' });
});

test('taken back while a refund is on its way: the refund is not sent', async () => {
  await paid();
  await desk.cancel(held, [(await desk.ticketsOf(held))[0]?.id ?? '']);
  await desk.deliver();
  provider.takeBack(paymentKey);
  await desk.hint({ paymentKey });
  await desk.settle();
  expect(provider.refundsOf(orderId)).toEqual([]);
  expect(await desk.statusOf(held)).toMatchObject({ status: 'cancelled' });
  expect(provider.moneyOf(orderId)).toBe(0);
});
