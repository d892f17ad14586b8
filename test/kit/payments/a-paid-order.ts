import { randomUUID } from 'node:crypto';
import { saveOrder } from '#modules/payments/storage/orders.ts';
import { beginAttempt, movePayment } from '#modules/payments/storage/payments.ts';
import type { Queryable } from '#platform/postgres/database.ts';

export interface PaidOrder {
  readonly orderId: string;
  readonly referenceId: string;
  readonly eventId: string;
  readonly userId: string;
  readonly amountKrw: number;
}

/** An order whose money was taken, as payments leaves it behind. */
export async function aPaidOrder(database: Queryable, order: PaidOrder): Promise<void> {
  const { orderId, userId, amountKrw } = order;
  const endsAtMs = Date.now() + 60_000;
  await saveOrder(database, {
    ...{ ...order, paymentType: 'reservation', orderName: 'A ticket', provider: 'sandbox', method: 'card' },
    ...{ refundAccount: null, expiresAtMs: endsAtMs, closesAtMs: endsAtMs },
  });
  const paymentId = randomUUID();
  const { verdict } = await beginAttempt(database, {
    ...{ paymentId, orderId, userId, amountKrw, paymentKey: `key-${paymentId}`, provider: 'sandbox', intent: null },
  });
  if (verdict !== 'begun') throw new Error(`the payment was not begun: ${verdict}`);
  await movePayment(database, { paymentId, from: ['created'], to: 'capturing' });
  const changes = { capturedKrw: amountKrw };
  const paid = await movePayment(database, {
    ...{ paymentId, from: ['capturing'], to: 'captured', changes, tell: { type: 'PAYMENT_CONFIRMED' } },
  });
  if (paid === null) throw new Error('the payment was not captured');
  await database.query('UPDATE payments.payments SET is_settled = true WHERE payment_id = $1', [paymentId]);
}
