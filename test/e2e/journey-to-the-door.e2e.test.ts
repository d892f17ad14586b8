import { beforeAll, describe, expect, test } from 'vitest';
import { unpackLooks } from '#modules/ticketing/domain/packed-looks.ts';
import type { Database } from '#platform/postgres/database.ts';
import { startTestApp } from '#test/kit/app.ts';
import { aClient, type TestClient } from '#test/kit/client.ts';
import { eventually } from '#test/kit/faults.ts';
import { aShowOnSale } from '#test/kit/queue/show.ts';
import { checkLedger } from '#test/kit/ticketing/check-ledger.ts';
import { expectCountersToMatch, hasSeats } from '#test/kit/ticketing/counts.ts';

/** What journey.e2e.test.ts leads up to: one buyer from the queue through the sale to the door, as their browser would walk. */
describe('from the queue to the door, all roles in one process', () => {
  let visitor: TestClient;
  let database: Database;
  beforeAll(async () => {
    const app = await startTestApp({ demo: true });
    visitor = aClient(app.url);
    if (app.urr.engines.database === null) throw new Error('the database is not open');
    database = app.urr.engines.database;
  });

  test('queue, slot, map, hold, payment, ticket, QR, door; and the door only once', async () => {
    const eventId = await aShowOnSale(visitor.baseUrl);
    await eventually(() => hasSeats(database, eventId), { withinMs: 60_000, what: 'the seats to be built' });
    const params = { eventId };
    const buyer = await visitor.as('buyer');

    await expect(buyer.getSeatMap({ params })).rejects.toMatchObject({ code: 'ENTRY_TOKEN_REQUIRED' });
    // The entry token comes as a cookie.
    expect(await buyer.checkQueue({ params })).toMatchObject({ status: 'active' });
    const map = await buyer.getSeatMap({ params });
    expect(map.mine).toBeNull();
    expect(seenAt(map.states)).toEqual('free');

    const idempotencyKey = crypto.randomUUID();
    const body = { eventId, seatIds: ['S1-1-1', 'S1-1-2'] };
    const held = await buyer.reserveSeats({ body }, { idempotencyKey });
    expect(held).toMatchObject({ status: 'pending', paymentStatus: 'none', totalKrw: 2 * (165_000 + 3_000) });
    expect(await buyer.reserveSeats({ body }, { idempotencyKey })).toEqual(held);
    // The map follows the ledger a moment later.
    const shown = await eventually(
      async () => {
        const { states, mine } = await buyer.getSeatMap({ params });
        return seenAt(states) === 'held' && { mine };
      },
      { withinMs: 30_000, what: 'the map to show the hold' },
    );
    expect(shown.mine).toEqual(held);

    const reservation = { params: { reservationId: held.id } };
    const prepared = { paymentType: 'reservation', referenceId: held.id, method: 'card' } as const;
    const { orderId, amountKrw } = await buyer.preparePayment({ body: prepared });
    expect(amountKrw).toBe(held.totalKrw);
    const pay = (number: string) => buyer.processPayment({ body: { orderId, card: { number } } });
    await expect(pay('4000000000000002')).rejects.toMatchObject({ code: 'PAYMENT_DECLINED', status: 402 });
    expect(await buyer.getReservation(reservation)).toMatchObject({ status: 'pending' });
    expect(await pay('4242424242424242')).toMatchObject({
      payment: { status: 'captured', capturedKrw: held.totalKrw },
    });
    await eventually(async () => (await buyer.getReservation(reservation)).status === 'confirmed', {
      withinMs: 30_000,
      what: 'the payment to be heard of',
    });
    expect(await buyer.getReservation(reservation)).toMatchObject({ paymentStatus: 'paid' });

    const { items: tickets } = await buyer.listMyTickets();
    expect(tickets.map(({ seat, state }) => [seat?.seatId, state]).sort()).toEqual([
      ['S1-1-1', 'issued'],
      ['S1-1-2', 'issued'],
    ]);
    const [ticket] = tickets;
    if (ticket === undefined) throw new Error('there is no ticket');
    const qr = (accept: string) => buyer.raw(`/api/tickets/${ticket.id}/qr`, { headers: { accept } });
    const { code } = (await (await qr('application/json')).json()) as { code: string };
    expect(await (await qr('image/svg+xml')).text()).toMatch(/^<svg/);

    // Anyone who has bought leaves the slot to the next in line.
    await eventually(async () => (await buyer.getQueueStatus({ params })).status === 'none', {
      withinMs: 30_000,
      what: 'the slot to end',
    });

    const staff = await visitor.as('operator');
    await expect(buyer.checkIn({ body: { code } })).rejects.toMatchObject({ status: 403 });
    const entered = await staff.checkIn({ body: { code, gate: 'A' } });
    expect(entered).toMatchObject({ ticketId: ticket.id, eventId, seatId: ticket.seat?.seatId, gate: 'A' });
    await expect(staff.checkIn({ body: { code, gate: 'B' } })).rejects.toMatchObject({
      code: 'TICKET_NOT_VALID',
      document: { reason: 'used', checkedInAt: entered.checkedInAt, gate: 'A' },
    });
    await expect(staff.checkIn({ body: { code: `${code.slice(0, -4)}AAAA` } })).rejects.toMatchObject({
      code: 'CODE_INVALID',
    });
    await expectCountersToMatch(database, eventId);
    await checkLedger(database);
  });
});

/** How the first seat looks. */
function seenAt(states: string): string | undefined {
  return ['free', 'held', 'sold', 'blocked'][unpackLooks(Buffer.from(states, 'base64'), 1)[0] ?? 0];
}
