import { expect } from 'vitest';
import { aHoldDesk } from '#modules/ticketing/testing/a-hold-desk.ts';
import type { Sale } from '#modules/ticketing/testing/a-sale.ts';
import { inParallel } from '#platform/concurrency/in-parallel.ts';
import { eventually } from '../faults.ts';
import type { PayDesk } from './pay-desk.ts';
import type { PlayedProvider } from './played-provider.ts';

/** What the holds of a process come to in one batch. */
const holdsAtOnce = 100;
const withinMs = 120_000;

interface Taken {
  readonly attemptId: string;
  readonly paymentKey: string;
  readonly orderId: string;
  readonly amountKrw: number;
}

/**
 * Every seat of a sale is held, paid for and confirmed, each by somebody of their own: step by step as a confirmation goes, but each step
 * for all of them at once. Answers the orders.
 */
export async function soldOut(desk: PayDesk, provider: PlayedProvider, sale: Sale): Promise<string[]> {
  const { database } = desk;
  const holds = aHoldDesk(database);
  const seatNos = Array.from({ length: sale.seatCount }, (_, seatNo) => seatNo);
  await inParallel(seatNos, holdsAtOnce, async (seatNo) => {
    // On a busy machine it says now and then that it is too much.
    const verdict = await eventually(() => holds.hold(sale, { seatNos: [seatNo] }), { withinMs, what: 'a hold' });
    expect(verdict).toMatchObject({ status: 'granted' });
  });
  const counts = async (text: string) => (await database.query(text, [sale.eventId])).rowCount;
  const steps = [
    `INSERT INTO payments.orders (order_id, payment_type, reference_id, event_id, user_id, order_name, amount_krw, provider, method,
       expires_at, closes_at)
     SELECT 'order-' || r.id, 'reservation', r.id, r.event_id, r.user_id, 'A ticket', r.total_krw, 'sandbox', 'card', r.expires_at, r.expires_at
     FROM ticketing.reservations AS r WHERE r.event_id = $1`,
    `SELECT FROM payments.orders AS o, payments.begin_attempt(gen_random_uuid(), o.order_id, o.user_id, 'key-' || o.order_id, 'sandbox',
       o.amount_krw, NULL, NULL) AS begun WHERE o.event_id = $1 AND begun.verdict = 'begun'`,
    `SELECT FROM payments.payments AS p JOIN payments.orders AS o USING (order_id)
     WHERE o.event_id = $1 AND ticketing.pin(o.reference_id, p.payment_id, o.user_id, o.amount_krw) = 'pinned'`,
    `SELECT FROM payments.payments AS p JOIN payments.orders AS o USING (order_id)
     CROSS JOIN LATERAL payments.move(p.payment_id, '{created}', 'capturing', '{"checkInMs": 60000}', NULL, '{}') WHERE o.event_id = $1`,
  ];
  for (const step of steps) expect(await counts(step)).toBe(sale.seatCount);
  const { rows } = await database.query<Taken>(
    `SELECT p.payment_id AS "attemptId", p.payment_key AS "paymentKey", p.order_id AS "orderId", p.amount_krw AS "amountKrw"
     FROM payments.payments AS p JOIN payments.orders AS o USING (order_id) WHERE o.event_id = $1`,
    [sale.eventId],
  );
  for (const taken of rows)
    await provider.capture({ ...taken, orderName: 'A ticket', method: 'card', depositUntilMs: null });
  const captured = `SELECT FROM payments.payments AS p JOIN payments.orders AS o USING (order_id)
    CROSS JOIN LATERAL payments.move(p.payment_id, '{capturing}', 'captured',
      jsonb_build_object('capturedKrw', p.amount_krw, 'checkInMs', 60000), 'PAYMENT_CONFIRMED', '{}') WHERE o.event_id = $1`;
  expect(await counts(captured)).toBe(sale.seatCount);
  await desk.deliver();
  return rows.map(({ orderId }) => orderId);
}
