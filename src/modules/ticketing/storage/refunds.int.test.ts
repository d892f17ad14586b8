import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { setDatabaseClock } from '#test/kit/database-clock.ts';
import { testSeed } from '#test/kit/seed.ts';
import { checkLedger } from '#test/kit/ticketing/check-ledger.ts';
import { refundOf } from '../domain/refund-terms.ts';
import { aHold, type Held, type HoldOptions } from '../testing/a-hold.ts';
import { aSale, type SaleOptions } from '../testing/a-sale.ts';
import { aTicketingDatabase } from '../testing/a-ticketing-database.ts';
import { aPinned } from '../testing/payments.ts';
import { ticketsOf, told } from '../testing/seen.ts';
import { cancelEventBite } from './cancelled-events.ts';
import { ownReservation } from './own-reservations.ts';
import { quoteRefund } from './refund-quotes.ts';
import { ticketMoney } from './ticket-money.ts';
import { ownTicket } from './tickets.ts';
import { applyPayments, cancel } from './transitions.ts';

const database = await aTicketingDatabase();
afterEach(() => checkLedger(database));

const dayMs = 86_400_000;
/** Noon in Seoul. */
const bookedMs = Date.parse('2027-03-01T12:00:00+09:00');
const clockAt = (ms: number) => setDatabaseClock(database, new Date(ms));

/** Bought at noon, for a show in thirty days at noon. */
async function aBooking(sale: SaleOptions = {}, hold: HoldOptions = { seatNos: [0, 1] }) {
  await clockAt(bookedMs);
  const show = await aSale(database, { nowMs: bookedMs, ...sale });
  const held = await aHold(database, show, hold);
  const payment = await aPinned(database, held);
  await applyPayments(database, [payment.confirmed()], 1);
  return { show, held, payment, ticketIds: (await ticketsOf(database, held.id)).map(({ id }) => id) };
}

const give = (held: Held, more: Partial<Parameters<typeof cancel>[1]> = {}) =>
  cancel(database, {
    ...{ reservationId: held.id, userId: held.userId, cancellationId: randomUUID(), ticketIds: null },
    ...{ reason: 'buyer', seed: 1, ...more },
  });
const cancelledEvents = async (held: Held) =>
  (await told(database, held.id)).filter(({ type }) => type === 'RESERVATION_CANCELLED').map(({ data }) => data);
const moneyOf = async (orderId: string) => (await ticketMoney(database, { orderIds: [orderId], limit: 1 }))[0];
const seen = ({ id: reservationId, userId }: Held) => ownReservation(database, { reservationId, userId });

test('a cancellation gives back what the quote has said, ticket by ticket, and says so everywhere', async () => {
  const { held, payment, ticketIds } = await aBooking();
  const [one = '', other = ''] = ticketIds;
  await clockAt(bookedMs + 22 * dayMs);
  const quote = await quoteRefund(database, { reservationId: held.id, userId: held.userId, ticketIds: [one] });
  expect(quote).toMatchObject({ status: 'quoted', quote: { rule: 'seven_days', refundKrw: 45_000 } });
  expect(await give(held, { ticketIds: [one], atLeastKrw: 45_000 })).toMatchObject({ verdict: 'cancelled' });
  const line = { ticketId: one, faceKrw: 50_000, feeKrw: 3_000, amountKrw: 45_000, rule: 'seven_days' };
  const [first] = await cancelledEvents(held);
  expect(first).toMatchObject({
    refunds: [
      { orderId: payment.orderId, ticketIds: [one], faceKrw: 50_000, feeKrw: 3_000, amountKrw: 45_000, lines: [line] },
    ],
  });
  expect(await ownTicket(database, { ticketId: one, ownerId: held.userId })).toMatchObject({ refundKrw: 45_000 });
  expect(await ownTicket(database, { ticketId: other, ownerId: held.userId })).toMatchObject({ refundKrw: null });
  expect(await seen(held)).toMatchObject({ refundedKrw: 0, refundPendingKrw: 45_000 });
  expect(await moneyOf(payment.orderId)).toMatchObject({ liveKrw: 53_000, keptKrw: 8_000 });

  await applyPayments(database, [payment.refunded(45_000, { cancellationId: String(first?.cancellationId) })], 1);
  expect(await seen(held)).toMatchObject({
    ...{ paymentStatus: 'partially_refunded', refundedKrw: 45_000, refundPendingKrw: 0 },
  });
  await clockAt(bookedMs + 29 * dayMs);
  await give(held);
  expect(await seen(held)).toMatchObject({ status: 'cancelled', refundedKrw: 45_000, refundPendingKrw: 35_000 });
  const last = (await cancelledEvents(held)).at(-1);
  await applyPayments(database, [payment.refunded(80_000, { cancellationId: String(last?.cancellationId) })], 1);
  expect(await seen(held)).toMatchObject({ paymentStatus: 'refunded', refundedKrw: 80_000, refundPendingKrw: 0 });
  expect(await moneyOf(payment.orderId)).toMatchObject({ liveKrw: 0, keptKrw: 26_000, isUnderWay: false });
});

test('nobody gets less than was shown: at midnight nothing is cancelled, and the new quote comes back', async () => {
  const { held } = await aBooking();
  const midnightMs = Date.parse('2027-03-22T00:00:00+09:00');
  await clockAt(midnightMs - 1);
  const before = await quoteRefund(database, { reservationId: held.id, userId: held.userId, ticketIds: null });
  expect(before).toMatchObject({ quote: { refundKrw: 100_000, changesAt: new Date(midnightMs).toISOString() } });
  await clockAt(midnightMs);
  const refused = await give(held, { atLeastKrw: 100_000 });
  expect(refused).toMatchObject({ verdict: 'refund_changed', ticketIds: [], freed: [], quote: { refundKrw: 90_000 } });
  expect(await seen(held)).toMatchObject({ status: 'confirmed', paymentStatus: 'paid' });
  expect(await give(held, { atLeastKrw: 90_000 })).toMatchObject({ verdict: 'cancelled' });
  expect(await give(held, { atLeastKrw: 100_000 })).toMatchObject({ verdict: 'cancelled', ticketIds: [] });
  expect(await seen(held)).toMatchObject({ status: 'cancelled', refundPendingKrw: 90_000 });
});

test('staff give everything back, and so does an event that its seller cancels', async () => {
  const staff = await aBooking();
  await clockAt(bookedMs + 29 * dayMs);
  await give(staff.held, { userId: null, reason: 'staff', inFull: true });
  expect(await seen(staff.held)).toMatchObject({ refundPendingKrw: 106_000 });

  const event = await aBooking({}, { seatNos: [0, 1, 2] });
  const early = await aHold(database, event.show, { seatNos: [3] });
  await applyPayments(database, [(await aPinned(database, early)).confirmed()], 1);
  await clockAt(bookedMs + 29 * dayMs);
  await give(event.held, { ticketIds: event.ticketIds.slice(0, 1) });
  await database.query('UPDATE ticketing.events SET cancelled_at = urr.now() WHERE event_id = $1', [
    event.show.eventId,
  ]);
  // Between the mark and the pass over its reservations.
  await give(early);
  expect(await seen(early)).toMatchObject({ refundPendingKrw: 53_000 });
  await cancelEventBite(database, { eventId: event.show.eventId, afterId: null, rowsMax: 100 });
  const [own, sellers] = await cancelledEvents(event.held);
  expect([own, sellers]).toMatchObject([
    { reason: 'buyer', refunds: [{ amountKrw: 35_000 }] },
    { reason: 'event_cancelled', refunds: [{ amountKrw: 106_000, lines: [{ rule: 'full' }, { rule: 'full' }] }] },
  ]);
});

test('goodwill of all that was paid leaves the tickets alone; a refund found at the provider takes them', async () => {
  const { held, payment } = await aBooking();
  await applyPayments(database, [{ ...payment.refunded(held.totalKrw), kind: 'goodwill' }], 1);
  expect(await seen(held)).toMatchObject({ status: 'confirmed', paymentStatus: 'refunded' });
  const found = await aBooking();
  await applyPayments(database, [{ ...found.payment.refunded(found.held.totalKrw), kind: 'found' }], 1);
  expect(await seen(found.held)).toMatchObject({ status: 'cancelled', refundPendingKrw: 0 });
});

test('what costs nothing is cancelled for nothing, and nobody waits for its money', async () => {
  const { held } = await aBooking({ ticketTypes: [{ capacity: 5, priceKrw: 0 }] }, { seatNos: [0], places: [1] });
  await clockAt(bookedMs + 29 * dayMs);
  const free = (await ticketsOf(database, held.id)).find(({ seat_no }) => seat_no === null);
  await give(held, { ticketIds: [free?.id ?? ''] });
  expect(await seen(held)).toMatchObject({ paymentStatus: 'paid', refundPendingKrw: 0 });
});

test('a refund that differs from the terms is found', async () => {
  const { held, ticketIds } = await aBooking();
  await clockAt(bookedMs + 25 * dayMs);
  await give(held);
  const change = (sql: string) => database.query(`UPDATE ticketing.tickets SET ${sql} WHERE id = $1`, [ticketIds[0]]);
  await change('refund_krw = refund_krw + 1');
  await expect(checkLedger(database)).rejects.toThrow(/gives 80001 won back for its tickets/);
  await change('refund_krw = refund_krw - 1, refund_terms = 0');
  await expect(checkLedger(database)).rejects.toThrow(/gives 40000 won back; by its terms it is 53000/);
  await change('refund_terms = 1');
  await expect(change('refund_krw = 53001')).rejects.toThrow(/tickets_refund/);
});

test('cancelled in any parts, order and at any time, parts come to what the model says and never to more than the whole', async () => {
  const part = fc.record({ which: fc.nat(9), count: fc.integer({ min: 1, max: 3 }), afterMs: fc.nat(10 * dayMs) });
  await fc.assert(
    fc.asyncProperty(
      ...[fc.integer({ min: 1, max: 300_000 }), fc.constantFrom(0, 1_000, 3_000)],
      fc.array(part, { minLength: 1, maxLength: 4 }),
      async (priceKrw, feeKrw, parts) => {
        const { held, payment, ticketIds } = await aBooking({ priceKrw }, { seatNos: [0, 1, 2, 3], feeKrw });
        const showsAt = (bookedMs + 30 * dayMs) * 1_000;
        const ticket = { priceKrw, feeKrw, termsId: 1, bookedAt: bookedMs * 1_000, showsAt };
        const left = [...ticketIds];
        let [nowMs, dueKrw] = [bookedMs, 0];
        for (const { which, count, afterMs } of parts) {
          nowMs = Math.min(nowMs + afterMs, bookedMs + 30 * dayMs - 3_600_001);
          await clockAt(nowMs);
          const chosen = left.splice(which % Math.max(1, left.length), count);
          if (chosen.length === 0) break;
          const { refundKrw } = refundOf(ticket, nowMs * 1_000, { inFull: false });
          dueKrw += chosen.length * refundKrw;
          await give(held, { ticketIds: chosen, atLeastKrw: chosen.length * refundKrw });
        }
        const { liveKrw = 0, keptKrw = 0 } = (await moneyOf(payment.orderId)) ?? {};
        expect(await seen(held)).toMatchObject({ refundPendingKrw: dueKrw });
        expect(dueKrw + keptKrw + liveKrw).toBe(held.totalKrw);
        expect(liveKrw).toBe(left.length * (priceKrw + feeKrw));
      },
    ),
    { seed: testSeed(), numRuns: 25 },
  );
});
