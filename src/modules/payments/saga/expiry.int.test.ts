import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import type { Sale } from '#modules/ticketing/testing/a-sale.ts';
import { setDatabaseClock } from '#test/kit/database-clock.ts';
import { checkBooks } from '#test/kit/payments/check-books.ts';
import { aPayDesk, type PayDesk } from '#test/kit/payments/pay-desk.ts';
import { aPlayedProvider, type PlayedProvider } from '#test/kit/payments/played-provider.ts';

/* A hold ends, an attempt is given up, a process was frozen: whoever comes too late charges nothing. */

let provider: PlayedProvider;
let desk: PayDesk;
let sale: Sale;

beforeEach(async () => {
  provider = aPlayedProvider();
  desk = await aPayDesk(provider);
  sale = await desk.sale({ priceKrw: 50_000 });
});

test.each([
  [-1, 200],
  [0, 409],
  [1, 409],
])('paying %i ms from the end of the hold answers %i, and nothing is charged without seats', async (ms, status) => {
  // Standing still, so that the end is of whole milliseconds.
  await setDatabaseClock(desk.database, new Date());
  const held = await desk.hold(sale, { seatNos: [0] });
  const orderId = await desk.prepare(held);
  const { expiresAt = '' } = (await desk.statusOf(held)) ?? {};
  await setDatabaseClock(desk.database, new Date(Date.parse(expiresAt) + ms));
  expect((await desk.confirm(held, orderId)).status).toBe(status);
  expect(provider.moneyOf(orderId)).toBe(status === 200 ? held.totalKrw : 0);
  await desk.deliver();
  await checkBooks(desk.database);
});

test('a hold that ended is sold to somebody else, and the first buyer’s late confirmation charges nothing', async () => {
  const first = await desk.hold(sale, { seatNos: [0] });
  const firstOrder = await desk.prepare(first);
  await desk.later(11 * 60_000);
  const { held: second, orderId } = await desk.buy(sale, { seatNos: [0] });
  expect(await desk.confirm(first, firstOrder)).toMatchObject({ code: 'RESERVATION_EXPIRED' });
  expect([provider.moneyOf(firstOrder), provider.moneyOf(orderId)]).toEqual([0, second.totalKrw]);
  await desk.settle();
});

/** Steps 2 and 3 of a confirmation, with a stop between them. */
function frozenAfterPin() {
  const { pin } = desk.reservations.internal;
  const [thaw, frozen] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  Object.assign(desk.reservations.internal, {
    pin: async (call: Parameters<typeof pin>[0]) => {
      const answer = await pin(call);
      frozen.resolve();
      await thaw.promise;
      return answer;
    },
  });
  const heal = () => Object.assign(desk.reservations.internal, { pin });
  return { frozen: frozen.promise, thaw: thaw.resolve, heal };
}

test('an attempt that nobody went on with is given up, and a process that thaws afterwards charges nothing', async () => {
  const held = await desk.hold(sale, { seatNos: [0] });
  const orderId = await desk.prepare(held);
  const stop = frozenAfterPin();
  const confirming = desk.confirm(held, orderId);
  await stop.frozen;
  await desk.later(61_000);
  await desk.run('payments-checks');
  stop.thaw();
  expect(await confirming).toMatchObject({ code: 'PAYMENT_IN_PROGRESS' });
  expect(provider.calls).toEqual([]);
  stop.heal();
  await desk.deliver();
  expect(await desk.statusOf(held)).toMatchObject({ status: 'pending' });
  expect(await desk.confirm(held, orderId)).toMatchObject({ status: 200 });
  await desk.settle();
});

test('a process that was frozen before it pinned is refused when the attempt has ended', async () => {
  const held = await desk.hold(sale, { seatNos: [0] });
  const orderId = await desk.prepare(held);
  const { pin } = desk.reservations.internal;
  let attemptId = '';
  Object.assign(desk.reservations.internal, {
    pin: async (call: Parameters<typeof pin>[0]) => {
      attemptId = call.attemptId;
      await desk.later(61_000);
      await desk.run('payments-checks');
      await desk.deliver();
      return pin(call);
    },
  });
  expect(await desk.confirm(held, orderId)).toMatchObject({ code: 'PAYMENT_IN_PROGRESS' });
  expect(attemptId).not.toBe('');
  Object.assign(desk.reservations.internal, { pin });
  expect(provider.calls).toEqual([]);
  expect(await desk.statusOf(held)).toMatchObject({ status: 'pending' });
  await desk.settle();
});

test('while one attempt is open another one is refused, by the same page and by another', async () => {
  const held = await desk.hold(sale, { seatNos: [0] });
  const [card, account] = [await desk.prepare(held), await desk.prepare(held, 'virtual_account')];
  const stop = frozenAfterPin();
  const confirming = desk.confirm(held, card);
  await stop.frozen;
  stop.heal();
  expect(await desk.confirm(held, card)).toMatchObject({ code: 'PAYMENT_IN_PROGRESS' });
  expect(await desk.confirm(held, account)).toMatchObject({ code: 'PAYMENT_IN_PROGRESS' });
  expect(await desk.call('preparePayment', preparing(held.userId, held.id))).toMatchObject({
    code: 'PAYMENT_IN_PROGRESS',
  });
  stop.thaw();
  expect(await confirming).toMatchObject({ status: 200 });
  await desk.settle();
  expect(provider.moneyOf(card)).toBe(held.totalKrw);
});

test('ticketing that cannot be asked to pin: nothing is charged, and the same key pays later', async () => {
  const held = await desk.hold(sale, { seatNos: [0] });
  const orderId = await desk.prepare(held);
  const { pin } = desk.reservations.internal;
  Object.assign(desk.reservations.internal, {
    // It pins, and its answer is lost.
    pin: async (call: Parameters<typeof pin>[0]) => {
      await pin(call);
      throw new Error('the connection was lost');
    },
  });
  const key = randomUUID();
  const paymentKey = randomUUID();
  await expect(desk.confirm(held, orderId, { key, paymentKey })).rejects.toThrow('the connection was lost');
  expect(provider.calls).toEqual([]);
  Object.assign(desk.reservations.internal, { pin });
  await desk.deliver();
  expect(await desk.confirm(held, orderId, { key, paymentKey })).toMatchObject({ status: 200 });
  await desk.settle();
});

function preparing(userId: string, referenceId: string) {
  return { userId, body: { paymentType: 'reservation', referenceId, method: 'card' } };
}
