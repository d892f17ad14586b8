import { randomUUID } from 'node:crypto';
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

const day = 24 * 3_600_000;

async function anAccount(startsInMs = 30 * day): Promise<void> {
  provider = aPlayedProvider();
  desk = await aPayDesk(provider);
  sale = await desk.sale({ priceKrw: 50_000, startsInMs });
  held = await desk.hold(sale, { seatNos: [0, 1] });
  orderId = await desk.prepare(held, 'virtual_account');
  provider.captures.push('waits');
  expect(await desk.confirm(held, orderId, { paymentKey })).toMatchObject({
    status: 200,
    body: { payment: { status: 'waiting_for_deposit', account: { number: '110-1' } } },
  });
  await desk.deliver();
  expect(await desk.statusOf(held)).toMatchObject({ status: 'waiting_for_deposit' });
}

beforeEach(() => anAccount());

const paymentStatus = async () =>
  (await desk.database.query<{ status: string }>('SELECT status FROM payments.payments')).rows[0]?.status;

/** The deposit is heard of, and nothing that has to go back is sent yet. */
async function deposited(): Promise<void> {
  provider.deposit(paymentKey);
  await desk.hint({ paymentKey });
  await desk.deliver();
}

async function paid(): Promise<void> {
  await deposited();
  await desk.settle();
}

async function takenBack(): Promise<void> {
  provider.takeBack(paymentKey);
  await desk.hint({ paymentKey });
  await desk.deliver();
}

const cancelOne = async () => desk.cancel(held, [(await desk.ticketsOf(held))[0]?.id ?? '']);
const unfinished = async () =>
  (await desk.database.query(`SELECT kind, status FROM payments.refunds WHERE status <> 'done'`)).rows;

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

test('an account that cannot be closed is with a person after a day, who may end it; a deposit that still comes goes back', async () => {
  const { refund } = provider;
  provider.refund = async () => ({ status: 'refused', code: 'NO', message: 'will not' });
  for (const hours of [1, 23]) {
    await desk.later(hours * 3_600_000);
    await desk.run('payments-checks');
    expect(await desk.manual()).toEqual([]);
  }
  await desk.later(2 * 3_600_000);
  await desk.run('payments-checks');
  await desk.deliver();
  const items = await desk.manual();
  expect(items).toMatchObject([{ kind: 'unknown_outcome' }]);
  expect(await desk.statusOf(held)).toMatchObject({ status: 'waiting_for_deposit' });
  const body = { resolution: 'never_charged', note: 'empty at the console' };
  const staff = { userId: randomUUID(), role: 'admin' };
  const params = { manualId: items[0]?.id };
  expect(await desk.call('resolveManualPayment', { ...staff, params, body })).toMatchObject({ status: 200 });
  await desk.deliver();
  expect(await desk.statusOf(held)).toMatchObject({ status: 'expired' });
  provider.refund = refund;
  await paid();
  expect(provider.moneyOf(orderId)).toBe(0);
});

test('the account of a late deposit can be corrected by its buyer, and by nobody else', async () => {
  await desk.later(31 * 60_000);
  await desk.run('payments-checks');
  await desk.deliver();
  const correct = (userId: string) => {
    const refundAccount = { bank: '088', number: '110-33', holder: '김우르' };
    return desk.call('cancelPayment', { userId, params: { paymentKey }, body: { reason: 'a typo', refundAccount } });
  };
  // Nothing has to go back yet.
  expect(await correct(held.userId)).toMatchObject({ code: 'PAYMENT_NOT_REFUNDABLE' });
  await deposited();
  provider.refunds.push('refused');
  await desk.run('payments-refunds');
  const [item] = await desk.manual();
  expect(item).toMatchObject({ kind: 'refund_stuck' });
  expect(await correct(randomUUID())).toMatchObject({ status: 404 });
  expect(await correct(held.userId)).toMatchObject({ status: 200 });
  const sentTo: (string | undefined)[] = [];
  const { refund } = provider;
  provider.refund = (call) => {
    sentTo.push(call.account?.number);
    return refund(call);
  };
  const body = { resolution: 'retry', note: 'another account' };
  const staff = { userId: randomUUID(), role: 'operator' };
  const params = { manualId: item?.id };
  expect(await desk.call('resolveManualPayment', { ...staff, params, body })).toMatchObject({ status: 200 });
  await desk.settle();
  expect([sentTo, provider.moneyOf(orderId)]).toEqual([['110-33'], 0]);
});

test('another deposit after the first was given back as goodwill goes back, and takes no ticket with it', async () => {
  await paid();
  const staff = { userId: randomUUID(), role: 'operator' };
  const body = { amountKrw: held.totalKrw, reason: 'cold hall' };
  expect(await desk.call('cancelPayment', { ...staff, params: { paymentKey }, body })).toMatchObject({ status: 200 });
  await desk.settle();
  await paid();
  expect(provider.moneyOf(orderId)).toBe(0);
  expect((await desk.ticketsOf(held)).map(({ state }) => state)).toEqual(['issued', 'issued']);
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

test('a refund that the bank was faster than ends, and cuts nothing off the refund of the next deposit', async () => {
  await deposited();
  await takenBack();
  await deposited();
  await takenBack();
  expect(await unfinished()).toEqual([]);
  await paid();
  expect([provider.moneyOf(orderId), await unfinished(), await desk.manual()]).toEqual([0, [], []]);
});

test('one of two tickets cancelled, the deposit taken back before its refund is sent, and another deposit: all of it goes back', async () => {
  await deposited();
  await cancelOne();
  await desk.deliver();
  await takenBack();
  expect(await unfinished()).toEqual([]);
  await paid();
  expect([provider.moneyOf(orderId), await unfinished(), await desk.manual()]).toEqual([0, [], []]);
  expect(await desk.statusOf(held)).toMatchObject({ status: 'cancelled', paymentStatus: 'refunded' });
});

test('cancelled while the deposit came, and taken back before its refund is sent: nothing is left to give back', async () => {
  await desk.cancel(held);
  await deposited();
  await takenBack();
  await desk.run('payments-checks');
  expect(await desk.settle()).toMatchObject({ underWay: 0, withPerson: 0 });
  expect([provider.refundsOf(orderId), await unfinished()]).toEqual([[], []]);
});

test('one ticket cancelled for a fee, the deposit taken back, and another comes: seats and money agree', async () => {
  await anAccount(2 * day);
  await deposited();
  await cancelOne();
  await desk.settle();
  await takenBack();
  await desk.run('payments-checks');
  await paid();
  expect(provider.moneyOf(orderId)).toBe(0);
});

test('all of it given back as goodwill, and another deposit: it goes back, and seats and money agree', async () => {
  await deposited();
  const body = { amountKrw: held.totalKrw, reason: 'sorry' };
  await desk.call('cancelPayment', { userId: randomUUID(), role: 'operator', params: { paymentKey }, body });
  await desk.settle();
  await paid();
  expect(provider.moneyOf(orderId)).toBe(0);
});
