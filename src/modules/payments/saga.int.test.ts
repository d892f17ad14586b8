import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import type { Held } from '#modules/ticketing/testing/a-hold.ts';
import type { Sale } from '#modules/ticketing/testing/a-sale.ts';
import { putDatabaseClockForward, setDatabaseClock } from '#test/kit/database-clock.ts';
import { aPayDesk, type PayDesk } from '#test/kit/payments/pay-desk.ts';
import { aPlayedProvider, type PlayedProvider } from '#test/kit/payments/played-provider.ts';
import { checkLedger } from '#test/kit/ticketing/check-ledger.ts';

let provider: PlayedProvider;
let desk: PayDesk;
let sale: Sale;

beforeEach(async () => {
  provider = aPlayedProvider();
  desk = await aPayDesk(provider);
  sale = await desk.sale({ priceKrw: 50_000 });
});

const statusOf = async (held: Held) =>
  (await desk.reservations.internal.reservationState({ reservationId: held.id })).reservation;
const later = (ms: number) => putDatabaseClockForward(desk.database, ms);
const captureCount = () => provider.calls.filter((call) => call.startsWith('capture')).length;

async function end(): Promise<void> {
  await desk.deliver();
  await checkLedger(desk.database);
}

test('a confirmed payment gives tickets, once however often it is repeated', async () => {
  const held = await desk.hold(sale, { seatNos: [0, 1] });
  const orderId = await desk.prepare(held);
  expect(await desk.prepare(held)).toBe(orderId);
  const paymentKey = randomUUID();
  const answer = await desk.confirm(held, orderId, { paymentKey });
  expect(answer).toMatchObject({ status: 200, body: { payment: { status: 'captured', capturedKrw: held.totalKrw } } });
  await desk.deliver();
  expect(await statusOf(held)).toMatchObject({ status: 'confirmed', paymentStatus: 'paid' });
  expect(await desk.confirm(held, orderId, { paymentKey })).toMatchObject({
    status: 200,
    body: { reservation: { status: 'confirmed' } },
  });
  expect(await desk.confirm(held, orderId)).toMatchObject({ code: 'ORDER_PAID' });
  expect(captureCount()).toBe(1);
  await end();
});

test('a decline says so, and the seats can be paid for again', async () => {
  const held = await desk.hold(sale, { seatNos: [0] });
  const orderId = await desk.prepare(held);
  provider.captures.push('declines');
  expect(await desk.confirm(held, orderId)).toMatchObject({ status: 402, code: 'PAYMENT_DECLINED' });
  expect(await statusOf(held)).toMatchObject({ status: 'pending' });
  expect(await desk.confirm(held, orderId)).toMatchObject({ status: 200 });
  await end();
  expect(await statusOf(held)).toMatchObject({ status: 'confirmed' });
});

test.each(['lost-before', 'lost-after'] as const)('an answer that was %s: one charge, one ticket', async (how) => {
  const held = await desk.hold(sale, { seatNos: [0] });
  const orderId = await desk.prepare(held);
  provider.captures.push(how);
  expect(await desk.confirm(held, orderId)).toMatchObject({ status: 202, body: { payment: { status: 'unknown' } } });
  expect(await desk.confirm(held, orderId)).toMatchObject({ code: 'PAYMENT_IN_PROGRESS' });
  await later(10_000);
  await desk.run('payments-checks');
  await end();
  expect(await statusOf(held)).toMatchObject({ status: 'confirmed' });
  const taken = [...provider.books.values()].filter(({ wasCaptured }) => wasCaptured);
  expect(taken).toHaveLength(1);
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
  const { expiresAt = '' } = (await statusOf(held)) ?? {};
  await setDatabaseClock(desk.database, new Date(Date.parse(expiresAt) + ms));
  expect((await desk.confirm(held, orderId)).status).toBe(status);
  expect(captureCount()).toBe(status === 200 ? 1 : 0);
  await end();
});

test('a tampered amount, somebody else’s order and an unknown one charge nothing', async () => {
  const held = await desk.hold(sale, { seatNos: [0] });
  const orderId = await desk.prepare(held);
  expect(await desk.confirm(held, orderId, { amount: 100 })).toMatchObject({ status: 422, code: 'AMOUNT_MISMATCH' });
  expect(await desk.confirm({ ...held, userId: randomUUID() }, orderId)).toMatchObject({ status: 404 });
  expect(await desk.confirm(held, randomUUID())).toMatchObject({ status: 404 });
  expect(provider.calls).toEqual([]);
  await end();
});

test('a cancellation gives the money back once, and tells it', async () => {
  const held = await desk.hold(sale, { seatNos: [0, 1] });
  const orderId = await desk.prepare(held);
  await desk.confirm(held, orderId);
  await desk.deliver();
  await desk.reservations.cancel({ reservationId: held.id, userId: held.userId, ticketIds: null });
  await desk.deliver();
  await desk.run('payments-refunds');
  await end();
  expect(await statusOf(held)).toMatchObject({ status: 'cancelled', paymentStatus: 'refunded' });
  for (const message of (await desk.messages()).reverse()) await desk.hear(message);
  await desk.run('payments-refunds');
  await end();
  expect(provider.calls.filter((call) => call.startsWith('refund'))).toHaveLength(1);
});

test('a reservation cancelled while it is being paid for: the capture goes back', async () => {
  const held = await desk.hold(sale, { seatNos: [0] });
  const orderId = await desk.prepare(held);
  provider.beforeCapture = async () => {
    await desk.reservations.cancel({ reservationId: held.id, userId: held.userId, ticketIds: null });
  };
  expect(await desk.confirm(held, orderId)).toMatchObject({ status: 200 });
  await desk.deliver();
  await desk.run('payments-refunds');
  await end();
  expect(await statusOf(held)).toMatchObject({ status: 'released' });
  expect([...provider.books.values()]).toMatchObject([{ balanceKrw: 0, status: 'refunded' }]);
});

test('a virtual account keeps the seats until its deposit comes; one that is taken back takes the tickets with it', async () => {
  const held = await desk.hold(sale, { seatNos: [0] });
  const orderId = await desk.prepare(held, 'virtual_account');
  provider.captures.push('waits');
  const paymentKey = randomUUID();
  expect(await desk.confirm(held, orderId, { paymentKey })).toMatchObject({
    status: 200,
    body: { payment: { status: 'waiting_for_deposit', account: { number: '110-1' } } },
  });
  await desk.deliver();
  expect(await statusOf(held)).toMatchObject({ status: 'waiting_for_deposit' });
  provider.deposit(paymentKey);
  await tellOf(paymentKey);
  await desk.deliver();
  expect(await statusOf(held)).toMatchObject({ status: 'confirmed' });
  provider.takeBack(paymentKey);
  await tellOf(paymentKey);
  await end();
  expect(await statusOf(held)).toMatchObject({ status: 'cancelled', paymentStatus: 'refunded' });
});

test('a deposit that did not come in time lets the seats go; one that comes afterwards goes back', async () => {
  const held = await desk.hold(sale, { seatNos: [0] });
  const orderId = await desk.prepare(held, 'virtual_account');
  provider.captures.push('waits');
  const paymentKey = randomUUID();
  await desk.confirm(held, orderId, { paymentKey });
  await desk.deliver();
  await later(31 * 60_000);
  await desk.run('payments-checks');
  await desk.deliver();
  expect(await statusOf(held)).toMatchObject({ status: 'expired' });
  provider.deposit(paymentKey);
  await tellOf(paymentKey);
  await desk.deliver();
  await desk.run('payments-refunds');
  await end();
  expect([...provider.books.values()]).toMatchObject([{ status: 'refunded', balanceKrw: 0 }]);
});

test('two captures for one order: the first has the tickets, the other goes back', async () => {
  const held = await desk.hold(sale, { seatNos: [0] });
  const orderId = await desk.prepare(held);
  const first = randomUUID();
  provider.captures.push('declines');
  await desk.confirm(held, orderId, { paymentKey: first });
  expect(await desk.confirm(held, orderId)).toMatchObject({ status: 200 });
  await desk.deliver();
  // The provider takes its decline back.
  provider.deposit(first);
  await tellOf(first);
  await desk.deliver();
  await desk.run('payments-refunds');
  await end();
  expect(await statusOf(held)).toMatchObject({ status: 'confirmed', paymentStatus: 'paid' });
  expect([...provider.books.values()].map(({ balanceKrw }) => balanceKrw).sort()).toEqual([0, held.totalKrw]);
});

test('an attempt that nobody went on with is given up, and a process that thaws afterwards charges nothing', async () => {
  const held = await desk.hold(sale, { seatNos: [0] });
  const orderId = await desk.prepare(held);
  const pin = desk.reservations.internal.pin;
  const thaw = Promise.withResolvers<void>();
  const frozen = Promise.withResolvers<void>();
  Object.assign(desk.reservations.internal, {
    pin: async (call: Parameters<typeof pin>[0]) => {
      const answer = await pin(call);
      frozen.resolve();
      await thaw.promise;
      return answer;
    },
  });
  const confirming = desk.confirm(held, orderId);
  await frozen.promise;
  await later(61_000);
  await desk.run('payments-checks');
  thaw.resolve();
  expect(await confirming).toMatchObject({ code: 'PAYMENT_IN_PROGRESS' });
  expect(provider.calls).toEqual([]);
  Object.assign(desk.reservations.internal, { pin });
  await desk.deliver();
  expect(await statusOf(held)).toMatchObject({ status: 'pending' });
  expect(await desk.confirm(held, orderId)).toMatchObject({ status: 200 });
  await end();
});

test('an outcome that stays unknown is cancelled after half an hour and is with a person after a day, and the seats stay', async () => {
  const held = await desk.hold(sale, { seatNos: [0] });
  const orderId = await desk.prepare(held);
  provider.isAway = true;
  expect(await desk.confirm(held, orderId)).toMatchObject({ status: 202 });
  await later(25 * 60 * 60_000);
  await desk.run('payments-checks');
  await desk.deliver();
  expect(await statusOf(held)).toMatchObject({ status: 'paying' });
  const { rows } = await desk.database.query('SELECT kind FROM payments.manual');
  expect(rows).toEqual([{ kind: 'unknown_outcome' }]);
  provider.isAway = false;
  await later(26 * 60 * 60_000);
  await desk.run('payments-checks');
  await end();
  expect(await statusOf(held)).toMatchObject({ status: 'expired' });
  expect([...provider.books.values()].filter(({ wasCaptured }) => wasCaptured)).toEqual([]);
});

async function tellOf(paymentKey: string): Promise<void> {
  expect(await desk.payments.hear('sandbox', { paymentKey })).toBe(true);
  await desk.run('payments-hints');
}
