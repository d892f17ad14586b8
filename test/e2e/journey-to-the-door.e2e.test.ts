import { beforeAll, expect, test } from 'vitest';
import { unpackLooks } from '#modules/ticketing/domain/packed-looks.ts';
import type { Database } from '#platform/postgres/database.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { startTestApp } from '#test/kit/app.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { aClient, type TestClient } from '#test/kit/client.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import type { EngineName } from '#test/kit/engines/engine.ts';
import { startKafka } from '#test/kit/engines/kafka.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { freePorts } from '#test/kit/engines/ports.ts';
import { startRedis } from '#test/kit/engines/redis.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { eventually } from '#test/kit/faults.ts';
import { checkBooks } from '#test/kit/payments/check-books.ts';
import { runUrr, startUrrProcess } from '#test/kit/processes.ts';
import { aShowOnSale } from '#test/kit/queue/show.ts';
import { expectCountersToMatch, hasSeats } from '#test/kit/ticketing/counts.ts';

/**
 * What journey.e2e.test.ts leads up to, on each way to run it: one buyer from the queue through the sale to the door and back to the money, as
 * their browser would walk.
 */
function describeJourney(name: string, needed: readonly EngineName[], start: (env: Env) => Promise<{ url: string }>) {
  describeWith(needed, name, () => {
    let visitor: TestClient;
    let database: Database;
    beforeAll(async () => {
      const { url, name: into } = await aDatabase();
      database = createDatabase({ url, poolMax: 4 });
      atEnd(() => database.close());
      const env = { URR_DATABASE_URL: url, URR_LOG_LEVEL: 'warn' };
      expect(await runUrr(['demo', '--into', into], env)).toMatchObject({ code: 0 });
      visitor = aClient((await start(env)).url);
    });

    test('queue, slot, map, hold, payment, ticket, QR, door; the door only once, and the money of another ticket back', async () => {
      const eventId = await aShowOnSale(visitor.baseUrl);
      await eventually(() => hasSeats(database, eventId), { withinMs: 60_000, what: 'the seats to be built' });
      const params = { eventId };
      // A busy process may answer 503 at first.
      const buyer = await eventually(() => visitor.as('buyer'), { withinMs: 60_000, what: 'a buyer' });

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

      const staff = await eventually(() => visitor.as('operator'), { withinMs: 60_000, what: 'somebody at the door' });
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

      const other = tickets.find(({ id }) => id !== ticket.id);
      if (other === undefined) throw new Error('there is no other ticket');
      const { refundKrw } = await buyer.getRefundQuote({ ...reservation, query: { ticketIds: other.id } });
      // Its booking fee comes back on the day of the booking only, which may have just ended.
      expect([168_000, 165_000]).toContain(refundKrw);
      await buyer.cancelReservation({ ...reservation, body: { ticketIds: [other.id], refundKrw: 165_000 } });
      const refunded = await eventually(
        async () => {
          const now = await buyer.getReservation(reservation);
          return now.paymentStatus === 'partially_refunded' && now;
        },
        { withinMs: 60_000, what: 'the money to be back' },
      );
      expect(refunded).toMatchObject({ status: 'partially_cancelled', refundPendingKrw: 0 });
      expect([168_000, 165_000]).toContain(refunded.refundedKrw);
      await expectCountersToMatch(database, eventId);
      await eventually(() => checkBooks(database), { withinMs: 60_000, what: 'seats and money to agree' });
    });
  });
}

type Env = Readonly<Record<string, string>>;

describeJourney('all roles in one process', [], (env) => startTestApp({ env }));

describeJourney('gateway, queue, ticketing and payments in processes of their own', ['redis'], async (database) => {
  const redis = await startRedis({ dir: await aFolder('door-redis') });
  atEnd(() => redis.stop());
  const [catalog = 0, queue = 0, ticketing = 0, payments = 0] = await freePorts(4);
  const at = (port: number) => `http://127.0.0.1:${port}`;
  const env = {
    ...database,
    URR_REDIS_URL: redis.url,
    ...{ URR_AUTH_URL: at(catalog), URR_CATALOG_URL: at(catalog), URR_QUEUE_URL: at(queue) },
    ...{ URR_TICKETING_URL: at(ticketing), URR_PAYMENTS_URL: at(payments) },
  };
  const start = (roles: string, port: number) =>
    startUrrProcess({ args: ['--roles', roles], env: { ...env, URR_PORT: String(port) } });
  const [front] = await Promise.all([
    start('gateway', 0),
    start('auth,catalog', catalog),
    start('queue', queue),
    start('ticketing', ticketing),
    start('payments', payments),
  ]);
  return front;
});

describeJourney('two workers on Redis, PostgreSQL and Kafka', ['redis', 'kafka'], async (database) => {
  // Of its own: topics have the same names for everybody.
  const [redis, kafka] = await Promise.all([
    aFolder('door-redis').then((dir) => startRedis({ dir })),
    aFolder('door-kafka').then((dir) => startKafka({ dir })),
  ]);
  for (const engine of [redis, kafka]) atEnd(() => engine.stop());
  const env = { ...database, URR_REDIS_URL: redis.url, URR_KAFKA_BROKERS: kafka.brokers };
  return startUrrProcess({ args: ['--workers', '2'], env });
});

/** How the first seat looks. */
function seenAt(states: string): string | undefined {
  return ['free', 'held', 'sold', 'blocked'][unpackLooks(Buffer.from(states, 'base64'), 1)[0] ?? 0];
}
