import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import type { Held } from '#modules/ticketing/testing/a-hold.ts';
import { aPayDesk, type PayDesk } from '#test/kit/payments/pay-desk.ts';
import { aPlayedProvider, type PlayedProvider } from '#test/kit/payments/played-provider.ts';

/* Whatever a page says of an order, what counts is what the server knows of it; what does not agree charges nothing (and refusals.int.test.ts). */

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

test.each([0, 2 ** 31, 1e300])('an amount of %d that is not the order’s charges nothing', async (amount) => {
  expect(await desk.confirm(held, orderId, { amount })).toMatchObject({ status: 422, code: 'AMOUNT_MISMATCH' });
  expect(provider.calls).toEqual([]);
  await desk.settle();
  expect(await desk.statusOf(held)).toMatchObject({ status: 'pending' });
});

test('an unknown order is not found and charges nothing', async () => {
  expect(await desk.confirm(held, randomUUID())).toMatchObject({ status: 404 });
  expect(provider.calls).toEqual([]);
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

test('what was cancelled is not charged, though payments has not heard of it yet', async () => {
  await desk.cancel(held);
  expect(await desk.confirm(held, orderId)).toMatchObject({ status: 409, code: 'ORDER_CLOSED' });
  expect(provider.calls).toEqual([]);
  await desk.settle();
  expect(await desk.statusOf(held)).toMatchObject({ status: 'released' });
});
