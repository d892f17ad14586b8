import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { type PaymentEvent, paymentEvents } from '#modules/payments/contract.ts';
import { setDatabaseClock } from '#test/kit/database-clock.ts';
import { eventually } from '#test/kit/faults.ts';
import { aStage, jsonCall, refusalOf } from '#test/kit/stage.ts';
import { checkLedger } from '#test/kit/ticketing/check-ledger.ts';
import { aHold, type Held } from '../testing/a-hold.ts';
import { aSale } from '../testing/a-sale.ts';
import { aPinned } from '../testing/payments.ts';
import { reservationRow, ticketsOf } from '../testing/seen.ts';

const { send, users, apps } = await aStage('together');
const { database, bus } = apps[0]?.urr.engines ?? {};
if (database == null || bus == null) throw new Error('the program has a database and a bus');
afterAll(() => checkLedger(database));

const userId = users.buyer.id;
const call = (
  held: Held | { id: string },
  what: 'confirm' | 'cancel',
  body?: unknown,
  token = users.buyer.accessToken,
) =>
  send(
    jsonCall({
      method: 'POST',
      path: `/api/reservations/${held.id}/${what}`,
      token,
      ...(body !== undefined && { body }),
    }),
  );
const cancel = (held: Held, body: unknown = {}) => call(held, 'cancel', body);
const problem = (answer: { text: string }) => JSON.parse(answer.text);

async function publish(outcome: { type: PaymentEvent['type'] } & PaymentEvent['data']): Promise<void> {
  const { type, ...data } = outcome;
  // The union of types does not keep type and data together; the bus checks them against the schema.
  await bus?.publishNow(paymentEvents, [{ type, key: data.orderId, data } as never]);
}

test('what costs nothing is confirmed by its buyer, repeatedly, and by nobody else', async () => {
  const held = await aHold(database, await aSale(database, { priceKrw: 0 }), { userId, seatNos: [0] });
  expect(refusalOf(await call(held, 'confirm', undefined, users.operator.accessToken))).toBe('404 NOT_FOUND');
  expect(refusalOf(await call({ id: randomUUID() }, 'confirm'))).toBe('404 NOT_FOUND');
  expect(refusalOf(await call({ id: 'x' }, 'confirm'))).toBe('400 VALIDATION_FAILED');
  const first = await call(held, 'confirm');
  expect(JSON.parse(first.text)).toMatchObject({
    id: held.id,
    status: 'confirmed',
    paymentStatus: 'none',
    totalKrw: 0,
  });
  expect((await call(held, 'confirm')).text).toBe(first.text);
});

test('a hold is given up at once; repeating it is harmless', async () => {
  const held = await aHold(database, await aSale(database), { userId, seatNos: [0] });
  expect(refusalOf(await call(held, 'confirm'))).toBe('409 PAYMENT_NEEDED');
  expect(refusalOf(await call(held, 'cancel', {}, users.seller.accessToken))).toBe('404 NOT_FOUND');
  expect(refusalOf(await cancel(held, { ticketIds: [randomUUID()] }))).toBe('409 RESERVATION_CLOSED');
  expect(JSON.parse((await cancel(held)).text).status).toBe('released');
  expect(JSON.parse((await cancel(held)).text).status).toBe('released');
  expect(problem(await call(held, 'confirm'))).toMatchObject({ code: 'RESERVATION_CLOSED' });
});

test('a payment on the bus makes tickets, which are cancelled in part and then as a whole', async () => {
  const held = await aHold(database, await aSale(database), { userId, seatNos: [2, 3] });
  const payment = await aPinned(database, held);
  await publish(payment.confirmed());
  await eventually(async () => (await reservationRow(database, held.id)).status === 'confirmed', {
    ...{ withinMs: 60_000, what: 'the tickets' },
  });
  const [one] = await ticketsOf(database, held.id);
  const refused = await cancel(held, { ticketIds: [one?.id, randomUUID()] });
  expect([refusalOf(refused), problem(refused).tickets]).toEqual([
    '409 NOT_CANCELLABLE',
    [{ ticketId: expect.any(String), reason: 'unknown' }],
  ]);
  const part = JSON.parse((await cancel(held, { ticketIds: [one?.id] })).text);
  expect(part).toMatchObject({ status: 'partially_cancelled', paymentStatus: 'refund_requested' });
  expect(JSON.parse((await cancel(held)).text)).toMatchObject({ status: 'cancelled' });
  await publish(payment.refunded(held.totalKrw, { cancellationId: randomUUID() }));
  await eventually(async () => (await reservationRow(database, held.id)).payment_status === 'refunded', {
    ...{ withinMs: 60_000, what: 'the refund' },
  });
});

test('what is paid for is no longer wanted: refund_requested', async () => {
  const held = await aHold(database, await aSale(database), { userId, seatNos: [2] });
  await aPinned(database, held);
  expect(JSON.parse((await cancel(held)).text)).toMatchObject({ status: 'paying', paymentStatus: 'refund_requested' });
  expect(problem(await call(held, 'confirm'))).toMatchObject({ code: 'RESERVATION_CLOSED' });
});

test('a hold whose time is over is refused, and the sweeper tidies it up', async () => {
  const held = await aHold(database, await aSale(database), { userId, seatNos: [5], places: [] });
  await setDatabaseClock(database, new Date(Date.now() + 6 * 60_000));
  expect(refusalOf(await cancel(held))).toBe('409 RESERVATION_EXPIRED');
  expect(refusalOf(await call(held, 'confirm'))).toBe('409 RESERVATION_EXPIRED');
  await eventually(async () => (await reservationRow(database, held.id)).status === 'expired', {
    ...{ withinMs: 60_000, what: 'the sweeper' },
  });
});
