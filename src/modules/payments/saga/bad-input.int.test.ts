import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import type { Held } from '#modules/ticketing/testing/a-hold.ts';
import { aPayDesk, type PayDesk } from '#test/kit/payments/pay-desk.ts';
import { aPlayedProvider, type PlayedProvider } from '#test/kit/payments/played-provider.ts';

/* Whatever a page says of an order, what counts is what the server knows of it; what does not agree charges nothing. */

let provider: PlayedProvider;
let desk: PayDesk;
let held: Held;
let orderId: string;

beforeEach(async () => {
  provider = aPlayedProvider();
  desk = await aPayDesk(provider);
  held = await desk.hold(await desk.sale({ priceKrw: 50_000 }), { seatNos: [0] });
  orderId = await desk.prepare(held);
});

test.each([0, 1, 49_999, 2 ** 31, 1e300])('an amount of %d that is not the order’s charges nothing', async (amount) => {
  expect(await desk.confirm(held, orderId, { amount })).toMatchObject({ status: 422, code: 'AMOUNT_MISMATCH' });
  expect(provider.calls).toEqual([]);
  await desk.settle();
  expect(await desk.statusOf(held)).toMatchObject({ status: 'pending' });
});

test('somebody else’s order and an unknown one are not found, and charge nothing', async () => {
  expect(await desk.confirm({ ...held, userId: randomUUID() }, orderId)).toMatchObject({ status: 404 });
  expect(await desk.confirm(held, randomUUID())).toMatchObject({ status: 404 });
  expect(provider.calls).toEqual([]);
  await desk.settle();
});

test('somebody else’s reservation cannot be prepared', async () => {
  const body = { paymentType: 'reservation', referenceId: held.id, method: 'card' };
  expect(await desk.call('preparePayment', { userId: randomUUID(), body })).toMatchObject({ status: 404 });
  await desk.settle();
});

test('an order that is paid is not charged again: the same key says what it was, another one that it is paid', async () => {
  const paymentKey = randomUUID();
  for (const _ of [1, 2]) {
    expect(await desk.confirm(held, orderId, { paymentKey })).toMatchObject({
      ...{ status: 200, body: { payment: { status: 'captured', capturedKrw: held.totalKrw } } },
    });
    await desk.deliver();
  }
  expect(await desk.confirm(held, orderId)).toMatchObject({ status: 409, code: 'ORDER_PAID' });
  expect(provider.calls).toEqual([`capture ${paymentKey}`]);
  await desk.settle();
  expect(provider.moneyOf(orderId)).toBe(held.totalKrw);
});

test('the key that paid one order pays no other', async () => {
  const paymentKey = randomUUID();
  await desk.confirm(held, orderId, { paymentKey });
  const other = await desk.hold(await desk.sale({ priceKrw: 50_000 }), { seatNos: [0] });
  expect(await desk.confirm(other, await desk.prepare(other), { paymentKey })).toMatchObject({ status: 404 });
  expect(provider.calls).toEqual([`capture ${paymentKey}`]);
  await desk.settle();
  expect(await desk.ticketsOf(other)).toEqual([]);
});

test.each(['and was heard of', 'and was not heard of yet'])('what was cancelled %s is not charged', async (how) => {
  await desk.cancel(held);
  if (how === 'and was heard of') await desk.deliver();
  expect(await desk.confirm(held, orderId)).toMatchObject({ status: 409, code: 'ORDER_CLOSED' });
  expect(provider.calls).toEqual([]);
  await desk.settle();
  expect(await desk.statusOf(held)).toMatchObject({ status: 'released' });
});

test('less than the provider takes cannot be prepared', async () => {
  const cheap = await desk.hold(await desk.sale({ priceKrw: 99 }), { seatNos: [0], feeKrw: 0 });
  const body = { paymentType: 'reservation', referenceId: cheap.id, method: 'card' };
  expect(await desk.call('preparePayment', { userId: cheap.userId, body })).toMatchObject({
    ...{ status: 422, code: 'AMOUNT_TOO_SMALL' },
  });
  await desk.settle();
});

test('an Idempotency-Key with another body is refused, and what it was first used for stands', async () => {
  const first = { key: 'one-key', paymentKey: randomUUID() };
  expect(await desk.confirm(held, orderId, first)).toMatchObject({ status: 200 });
  expect(await desk.confirm(held, orderId, { ...first, paymentKey: randomUUID() })).toMatchObject({
    ...{ status: 422, code: 'IDEMPOTENCY_MISMATCH' },
  });
  expect(await desk.confirm(held, orderId, first)).toMatchObject({ status: 200 });
  expect(provider.calls).toEqual([`capture ${first.paymentKey}`]);
  await desk.settle();
});
