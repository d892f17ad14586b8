import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { setDatabaseClock } from '#test/kit/database-clock.ts';
import { aStage, jsonCall, refusalOf } from '#test/kit/stage.ts';
import { checkLedger } from '#test/kit/ticketing/check-ledger.ts';
import type { RefundQuote } from '../schemas.ts';
import { applyPayments } from '../storage/transitions.ts';
import { aHold, type Held } from '../testing/a-hold.ts';
import { aSale } from '../testing/a-sale.ts';
import { aPinned } from '../testing/payments.ts';
import { ticketsOf } from '../testing/seen.ts';

const { send, users, apps } = await aStage('together');
const { database } = apps[0]?.urr.engines ?? {};
if (database == null) throw new Error('the program has a database');
afterAll(() => checkLedger(database));

const dayMs = 86_400_000;
const booked = new Date('2027-03-01T03:00:00Z');
const userId = users.buyer.id;
const setClock = (at: Date) => setDatabaseClock(database, at);
beforeEach(() => setClock(booked));

const aBooking = async (seatNos = [0, 1]) => {
  const sale = await aSale(database, { nowMs: booked.getTime(), priceKrw: 55_550 });
  const held = await aHold(database, sale, { userId, seatNos });
  await applyPayments(database, [(await aPinned(database, held)).confirmed()], 1);
  return { sale, held, ticketIds: (await ticketsOf(database, held.id)).map(({ id }) => id) };
};
const ask = (held: Pick<Held, 'id'>, query = '', token = users.buyer.accessToken) =>
  send(jsonCall({ method: 'GET', path: `/api/reservations/${held.id}/refund-quote${query}`, token }));
const quoted = async (held: Held, query = ''): Promise<RefundQuote> => JSON.parse((await ask(held, query)).text);

test('on the day of the booking everything comes back, and the quote says until when', async () => {
  const { held, ticketIds } = await aBooking();
  const line = { priceKrw: 55_550, feeKrw: 3_000, cancellationFeeKrw: 0, feeKeptKrw: 0, refundKrw: 58_550 };
  expect(await quoted(held)).toEqual({
    ...{ reservationId: held.id, quotedAt: booked.toISOString(), showsAt: '2027-03-31T03:00:00.000Z', daysBefore: 30 },
    ...{ rule: 'ten_days', lines: [...ticketIds].sort().map((ticketId) => ({ ticketId, ...line })) },
    ...{ priceKrw: 111_100, feeKrw: 6_000, cancellationFeeKrw: 0, feeKeptKrw: 0, refundKrw: 117_100 },
    changesAt: '2027-03-01T15:00:00.000Z',
    terms: [
      { daysBefore: 10, percentKept: 0 },
      { daysBefore: 7, percentKept: 10 },
      { daysBefore: 3, percentKept: 20 },
      { daysBefore: 1, percentKept: 30 },
      { daysBefore: 0, percentKept: 90 },
    ],
    bookingFeeUntil: '2027-03-01T15:00:00.000Z',
  });
});

test('later the quote is for the tickets that were named, by the line of the terms that counts', async () => {
  const { held, ticketIds } = await aBooking();
  await setClock(new Date(booked.getTime() + 25 * dayMs));
  expect(await quoted(held, `?ticketIds=${ticketIds[1]}`)).toMatchObject({
    ...{ rule: 'three_days', daysBefore: 5, bookingFeeUntil: null, changesAt: '2027-03-28T15:00:00.000Z' },
    lines: [{ ticketId: ticketIds[1], cancellationFeeKrw: 11_110, feeKeptKrw: 3_000, refundKrw: 44_440 }],
    refundKrw: 44_440,
  });
  await setClock(new Date(booked.getTime() + 30 * dayMs - 2 * 3_600_000));
  expect(await quoted(held)).toMatchObject({ rule: 'same_day', daysBefore: 0, changesAt: null, refundKrw: 2 * 5_555 });
});

test('of a show that was moved the later date counts, whichever it is', async () => {
  const { sale, held } = await aBooking([0]);
  const moveTo = (days: number) =>
    database.query('UPDATE ticketing.events SET starts_at = $2, doors_at = $2 WHERE event_id = $1', [
      ...[sale.eventId, new Date(booked.getTime() + days * dayMs)],
    ]);
  await setClock(new Date(booked.getTime() + 2 * dayMs));
  await moveTo(4);
  expect(await quoted(held)).toMatchObject({ rule: 'ten_days', daysBefore: 28, showsAt: '2027-03-31T03:00:00.000Z' });
  await moveTo(60);
  expect(await quoted(held)).toMatchObject({ rule: 'ten_days', daysBefore: 58, showsAt: '2027-04-30T03:00:00.000Z' });
});

test('for a cancelled event everything comes back', async () => {
  const { sale, held } = await aBooking([0]);
  await setClock(new Date(booked.getTime() + 29 * dayMs));
  const mark = (sql: string) =>
    database.query(`UPDATE ticketing.events SET cancelled_at = ${sql}, cancel_done_at = ${sql} WHERE event_id = $1`, [
      sale.eventId,
    ]);
  // As if done, so that the job does not take it: what is asked about is the moment in between.
  await mark('urr.now()');
  expect(await quoted(held)).toMatchObject({ rule: 'full', refundKrw: 58_550, changesAt: null, bookingFeeUntil: null });
  await mark('NULL');
});

test('what is not one’s own is not there; ids that are none are refused', async () => {
  const { held, ticketIds } = await aBooking();
  expect(refusalOf(await ask(held, '', users.operator.accessToken))).toBe('404 NOT_FOUND');
  expect(refusalOf(await ask({ id: randomUUID() }))).toBe('404 NOT_FOUND');
  expect(refusalOf(await ask({ id: 'x' }))).toBe('400 VALIDATION_FAILED');
  for (const bad of ['', 'x', `${ticketIds[0]},`, `${ticketIds[0]};${ticketIds[1]}`])
    expect(refusalOf(await ask(held, `?ticketIds=${bad}`))).toBe('400 VALIDATION_FAILED');
  const other = await aBooking();
  const refused = await ask(held, `?ticketIds=${ticketIds[0]},${other.ticketIds[0]}`);
  expect([refusalOf(refused), JSON.parse(refused.text).tickets]).toEqual([
    '409 NOT_CANCELLABLE',
    [{ ticketId: other.ticketIds[0], reason: 'unknown' }],
  ]);
});

test('what is not paid for, or is over, has nothing to be refunded', async () => {
  const sale = await aSale(database, { nowMs: booked.getTime() });
  const pending = await aHold(database, sale, { userId, seatNos: [0] });
  const status = async (held: Held) => {
    const answer = await ask(held);
    return [refusalOf(answer), JSON.parse(answer.text).reservationStatus];
  };
  expect(await status(pending)).toEqual(['409 NOTHING_TO_REFUND', 'pending']);
  await aPinned(database, pending);
  expect(await status(pending)).toEqual(['409 NOTHING_TO_REFUND', 'paying']);
  const lapsed = await aHold(database, sale, { userId, seatNos: [1] });
  await setClock(new Date(booked.getTime() + 600_000));
  expect(await status(lapsed)).toEqual(['409 NOTHING_TO_REFUND', 'expired']);
});

test('when the doors are open nothing can be cancelled any more', async () => {
  const { held, ticketIds } = await aBooking([0]);
  await setClock(new Date(booked.getTime() + 30 * dayMs));
  const refused = await ask(held);
  expect([refusalOf(refused), JSON.parse(refused.text).tickets]).toEqual([
    '409 NOT_CANCELLABLE',
    [{ ticketId: ticketIds[0], reason: 'doors_open' }],
  ]);
});

test('a cancellation for less than was shown is refused with the quote as it is now', async () => {
  const { held, ticketIds } = await aBooking();
  const cancel = (body: unknown) =>
    send(
      jsonCall({
        ...{ method: 'POST', path: `/api/reservations/${held.id}/cancel`, token: users.buyer.accessToken, body },
      }),
    );
  const shown = await quoted(held, `?ticketIds=${ticketIds[0]}`);
  await setClock(new Date(String(shown.changesAt)));
  expect(refusalOf(await cancel({ refundKrw: -1 }))).toBe('400 VALIDATION_FAILED');
  const refused = await cancel({ ticketIds: [ticketIds[0]], refundKrw: shown.refundKrw });
  const now = await quoted(held, `?ticketIds=${ticketIds[0]}`);
  expect([refusalOf(refused), JSON.parse(refused.text).quote]).toEqual(['409 REFUND_CHANGED', now]);
  expect(now.refundKrw).toBe(shown.refundKrw - 3_000);
  const done = await cancel({ ticketIds: [ticketIds[0]], refundKrw: now.refundKrw });
  expect(JSON.parse(done.text)).toMatchObject({ status: 'partially_cancelled', refundPendingKrw: now.refundKrw });
});
