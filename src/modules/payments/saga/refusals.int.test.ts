import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import type { Held } from '#modules/ticketing/testing/a-hold.ts';
import type { Sale } from '#modules/ticketing/testing/a-sale.ts';
import { aPayDesk, type PayDesk } from '#test/kit/payments/pay-desk.ts';
import { aPlayedProvider, type PlayedProvider } from '#test/kit/payments/played-provider.ts';

/* Whatever is refused charges nothing, and says why. */

let provider: PlayedProvider;
let desk: PayDesk;
let sale: Sale;

beforeEach(async () => {
  provider = aPlayedProvider();
  desk = await aPayDesk(provider);
  sale = await desk.sale({ priceKrw: 50_000 });
});

async function anOrder(): Promise<{ held: Held; orderId: string }> {
  const held = await desk.hold(sale, { seatNos: [0] });
  return { held, orderId: await desk.prepare(held) };
}

const prepareFor = ({ id: referenceId, userId }: Held, body: object = {}) =>
  desk.call('preparePayment', { userId, body: { paymentType: 'reservation', referenceId, method: 'card', ...body } });

test.each([-1, 1, -49_900])('an amount that was changed by %i won is refused and nothing is charged', async (by) => {
  const { held, orderId } = await anOrder();
  const amount = held.totalKrw + by;
  expect(await desk.confirm(held, orderId, { amount })).toMatchObject({ status: 422, code: 'AMOUNT_MISMATCH' });
  expect(provider.calls).toEqual([]);
  expect(await desk.statusOf(held)).toMatchObject({ status: 'pending' });
  await desk.settle();
});

test('to somebody else an order and its payment are not there', async () => {
  const { held, orderId } = await anOrder();
  const stranger = { ...held, userId: randomUUID() };
  const missing = { status: 404, code: 'NOT_FOUND' };
  expect(await prepareFor(stranger)).toMatchObject(missing);
  expect(await desk.confirm(stranger, orderId)).toMatchObject(missing);
  expect(await desk.call('getOrder', { userId: stranger.userId, params: { orderId } })).toMatchObject(missing);
  expect(provider.calls).toEqual([]);
  const paymentKey = randomUUID();
  expect(await desk.confirm(held, orderId, { paymentKey })).toMatchObject({ status: 200 });
  await desk.deliver();
  // Also with the key that has paid, which is no secret.
  expect(await desk.confirm(stranger, orderId, { paymentKey })).toMatchObject(missing);
  const refundAccount = { bank: '신한은행', number: '110-66', holder: '남의 이름' };
  const cancelling = { params: { paymentKey }, body: { reason: 'x', refundAccount }, key: randomUUID() };
  expect(await desk.call('cancelPayment', { ...cancelling, userId: stranger.userId })).toMatchObject(missing);
  const { rows } = await desk.database.query('SELECT refund_account FROM payments.orders');
  expect(rows).toEqual([{ refund_account: null }]);
  await desk.settle();
  expect(provider.moneyOf(orderId)).toBe(held.totalKrw);
});

test('a key that has paid for one order pays for no other', async () => {
  const { paymentKey } = await desk.buy(sale, { seatNos: [1] });
  const { held, orderId } = await anOrder();
  expect(await desk.confirm(held, orderId, { paymentKey })).toMatchObject({ status: 404 });
  expect([provider.moneyOf(orderId), await desk.ticketsOf(held)]).toEqual([0, []]);
  await desk.settle();
});

test('a buyer names no amount to be given back, nor do staff together with tickets', async () => {
  const { held, orderId, paymentKey } = await desk.buy(sale, { seatNos: [0] });
  const cancel = (by: { userId: string; role?: string }, body: object) =>
    desk.call('cancelPayment', { ...by, params: { paymentKey }, key: randomUUID(), body: { reason: 'x', ...body } });
  expect(await cancel(held, { amountKrw: 1_000 })).toMatchObject({ status: 403 });
  const ticketIds = (await desk.ticketsOf(held)).map(({ id }) => id);
  const staff = { userId: randomUUID(), role: 'operator' };
  expect(await cancel(staff, { amountKrw: 1_000, ticketIds })).toMatchObject({ code: 'VALIDATION_FAILED' });
  await desk.settle();
  expect(provider.moneyOf(orderId)).toBe(held.totalKrw);
});

test('what was cancelled cannot be prepared or confirmed any more', async () => {
  const { held, orderId } = await anOrder();
  await desk.cancel(held);
  await desk.deliver();
  expect(await desk.confirm(held, orderId)).toMatchObject({ status: 409, code: 'ORDER_CLOSED' });
  expect(await prepareFor(held)).toMatchObject({ status: 409, code: 'ORDER_CLOSED' });
  expect(provider.calls).toEqual([]);
  await desk.settle();
});

test('after three declines the order is closed, though the seats are still held, and a fourth try is refused', async () => {
  const { held, orderId } = await anOrder();
  const standing = async () => (await desk.call('getOrder', { userId: held.userId, params: { orderId } })).body;
  for (const attemptsLeft of [2, 1, 0]) {
    provider.captures.push('declines');
    expect(await desk.confirm(held, orderId)).toMatchObject({ status: 402 });
    const state = attemptsLeft > 0 ? 'open' : 'closed';
    expect(await standing()).toMatchObject({ state, reservation: { status: 'pending', attemptsLeft } });
  }
  expect(await desk.confirm(held, orderId)).toMatchObject({ status: 409, code: 'ORDER_CLOSED' });
  await desk.settle();
  expect(provider.moneyOf(orderId)).toBe(0);
});

test('less than the provider takes by this method is refused, and so is an account without one to give back to', async () => {
  const coin = await desk.sale({ priceKrw: 150 });
  const held = await desk.hold(coin, { seatNos: [0], feeKrw: 0 });
  const refundAccount = { bank: '신한은행', number: '110-22', holder: '김우르' };
  expect(await prepareFor(held, { method: 'virtual_account', refundAccount })).toMatchObject({
    code: 'AMOUNT_TOO_SMALL',
  });
  expect(await prepareFor(held, { method: 'virtual_account' })).toMatchObject({ code: 'REFUND_ACCOUNT_NEEDED' });
  expect(await desk.confirm(held, await desk.prepare(held))).toMatchObject({ status: 200 });
  await desk.settle();
});

test('one key for two requests: the same again has the same answer, another one is refused', async () => {
  const { held, orderId } = await anOrder();
  const [key, paymentKey] = [randomUUID(), randomUUID()];
  provider.captures.push('declines');
  for (let time = 0; time < 2; time++)
    expect(await desk.confirm(held, orderId, { key, paymentKey })).toMatchObject({ code: 'PAYMENT_DECLINED' });
  expect(await desk.confirm(held, orderId, { key })).toMatchObject({ code: 'IDEMPOTENCY_MISMATCH' });
  expect(provider.calls).toHaveLength(1);
  expect(await desk.confirm(held, orderId)).toMatchObject({ status: 200 });
  await desk.settle();
});

test('money in another currency is not booked, and a person looks at it', async () => {
  const { held, orderId } = await anOrder();
  const paymentKey = randomUUID();
  provider.captures.push('lost-after');
  expect(await desk.confirm(held, orderId, { paymentKey })).toMatchObject({ status: 202 });
  const taken = provider.books.get(paymentKey);
  if (taken === undefined) throw new Error('nothing was taken');
  provider.books.set(paymentKey, { ...taken, currency: 'USD' });
  await desk.later(10_000);
  await desk.run('payments-checks');
  await desk.deliver();
  expect(await desk.manual()).toMatchObject([{ kind: 'amount_differs' }]);
  expect(await desk.statusOf(held)).toMatchObject({ status: 'paying' });
  expect(await desk.ticketsOf(held)).toEqual([]);
});

test('a webhook that cannot be read is refused', async () => {
  const call = { params: { provider: 'sandbox' }, body: {} };
  expect(await desk.call('paymentWebhook', call)).toMatchObject({ code: 'WEBHOOK_UNREADABLE' });
  expect(await desk.call('paymentWebhook', { ...call, params: { provider: 'nobody' } })).toMatchObject({
    code: 'WEBHOOK_UNREADABLE',
  });
});
