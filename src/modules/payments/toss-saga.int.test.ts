import { beforeEach, expect, test } from 'vitest';
import type { Held } from '#modules/ticketing/testing/a-hold.ts';
import type { Sale } from '#modules/ticketing/testing/a-sale.ts';
import { aPayDesk, type PayDesk } from '#test/kit/payments/pay-desk.ts';
import type { FakeBehaviour } from './providers/toss/fake/behaviours.ts';
import { aFakeToss } from './testing/a-fake-toss.ts';

const staged = await aFakeToss({ standsStill: false });
const minuteMs = 60_000;
let desk: PayDesk;
let sale: Sale;

beforeEach(async () => {
  desk = await aPayDesk(staged.provider);
  sale = await desk.sale({ priceKrw: 50_000 });
});

/** The buyer goes to the window and comes back with a key. */
function windowOf(held: Held, orderId: string, behaviour: FakeBehaviour, method: 'CARD' | 'VIRTUAL_ACCOUNT' = 'CARD') {
  return staged.fake.control.pay({
    orderId,
    amount: held.totalKrw,
    behaviour,
    method,
    dueInMs: 7 * 24 * 60 * minuteMs,
  });
}

async function later(ms: number): Promise<void> {
  staged.fake.control.advance(ms);
  await desk.later(ms);
}

async function anAccount(): Promise<{ held: Held; paymentKey: string; orderId: string }> {
  const held = await desk.hold(sale, { seatNos: [0] });
  const orderId = await desk.prepare(held, 'virtual_account');
  const paymentKey = windowOf(held, orderId, 'approves', 'VIRTUAL_ACCOUNT');
  expect(await desk.confirm(held, orderId, { paymentKey })).toMatchObject({
    ...{ status: 200, body: { payment: { status: 'waiting_for_deposit', account: { bank: '신한은행' } } } },
  });
  await desk.deliver();
  expect(await desk.statusOf(held)).toMatchObject({ status: 'waiting_for_deposit' });
  return { held, paymentKey, orderId };
}

test('declined once, then approved; cancelled, and the money goes back', async () => {
  const held = await desk.hold(sale, { seatNos: [0, 1] });
  const orderId = await desk.prepare(held);
  const declined = windowOf(held, orderId, 'declines_funds');
  expect(await desk.confirm(held, orderId, { paymentKey: declined })).toMatchObject({
    status: 402,
    code: 'PAYMENT_DECLINED',
  });
  expect(await desk.statusOf(held)).toMatchObject({ status: 'pending' });
  const paymentKey = windowOf(held, orderId, 'approves');
  expect(await desk.confirm(held, orderId, { paymentKey })).toMatchObject({ status: 200 });
  await desk.deliver();
  expect(await desk.statusOf(held)).toMatchObject({ status: 'confirmed' });
  await desk.cancel(held);
  await desk.settle();
  expect(await desk.statusOf(held)).toMatchObject({ status: 'cancelled' });
  expect(staged.fake.control.shown(paymentKey)).toMatchObject({ cancels: [{ cancelStatus: 'DONE' }] });
});

test.each(['times_out_before', 'times_out_after', 'fails_once', 'answers_html'] as const)(
  '%s: one charge, one ticket',
  async (behaviour) => {
    const held = await desk.hold(sale, { seatNos: [0] });
    const orderId = await desk.prepare(held);
    const paymentKey = windowOf(held, orderId, behaviour);
    expect(await desk.confirm(held, orderId, { paymentKey })).toMatchObject({ status: 202 });
    await later(10_000);
    await desk.run('payments-checks');
    await desk.settle();
    expect(await desk.statusOf(held)).toMatchObject({ status: 'confirmed', paymentStatus: 'paid' });
    expect(staged.fake.control.shown(paymentKey)).toMatchObject({ status: 'DONE', balanceAmount: held.totalKrw });
  },
);

test('a made-up key is declined at once and does not keep the seats', async () => {
  const held = await desk.hold(sale, { seatNos: [0] });
  const orderId = await desk.prepare(held);
  expect(await desk.confirm(held, orderId, { paymentKey: 'made_up' })).toMatchObject({ status: 402 });
  expect(await desk.statusOf(held)).toMatchObject({ status: 'pending' });
  await desk.settle();
});

test('a made-up key whose capture met an outage of eleven minutes does not keep the seats', async () => {
  const held = await desk.hold(sale, { seatNos: [0] });
  const orderId = await desk.prepare(held);
  staged.fake.control.setMode('refuses');
  expect(await desk.confirm(held, orderId, { paymentKey: 'made_up_in_an_outage' })).toMatchObject({ status: 202 });
  for (const minutes of [1, 3, 7]) {
    await later(minutes * minuteMs);
    await desk.run('payments-checks');
  }
  expect(await desk.statusOf(held)).toMatchObject({ status: 'paying' });
  staged.fake.control.setMode('up');
  await later(5 * minuteMs);
  await desk.run('payments-checks');
  await desk.settle();
  expect((await desk.statusOf(held))?.status).not.toBe('paying');
});

test('a deposit gives tickets; one that the bank takes back takes them away', async () => {
  const { held, paymentKey, orderId } = await anAccount();
  staged.fake.control.deposit(paymentKey);
  await desk.hint({ orderId });
  await desk.deliver();
  expect(await desk.statusOf(held)).toMatchObject({ status: 'confirmed' });
  staged.fake.control.reverse(paymentKey);
  await desk.hint({ orderId });
  await desk.settle();
  expect(await desk.statusOf(held)).toMatchObject({ status: 'cancelled', paymentStatus: 'refunded' });
});

test('our own deadline counts, though Toss gave a week; a deposit after it goes back', async () => {
  const { held, paymentKey, orderId } = await anAccount();
  await later(31 * minuteMs);
  await desk.run('payments-checks');
  await desk.deliver();
  expect(await desk.statusOf(held)).toMatchObject({ status: 'expired' });
  expect(staged.fake.control.shown(paymentKey)).toMatchObject({ status: 'CANCELED' });
  staged.fake.control.deposit(paymentKey);
  await desk.hint({ orderId });
  await desk.settle();
  expect(staged.fake.control.shown(paymentKey)).toMatchObject({ status: 'CANCELED', balanceAmount: 0 });
});

test('an order of the provider before this one cannot be paid any more', async () => {
  const held = await desk.hold(sale, { seatNos: [0] });
  const orderId = await desk.prepare(held);
  await desk.database.query(`UPDATE payments.orders SET provider = 'sandbox' WHERE order_id = $1`, [orderId]);
  expect(await desk.confirm(held, orderId)).toMatchObject({ code: 'METHOD_MISMATCH' });
  const anew = await desk.prepare(held);
  expect(anew).not.toBe(orderId);
  expect(await desk.confirm(held, anew, { paymentKey: windowOf(held, anew, 'approves') })).toMatchObject({
    status: 200,
  });
  await desk.settle();
});
