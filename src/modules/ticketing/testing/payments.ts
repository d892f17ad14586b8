import { randomUUID } from 'node:crypto';
import type { PaymentEvent } from '#modules/payments/contract.ts';
import type { Database } from '#platform/postgres/database.ts';
import { pin } from '../storage/transitions.ts';
import type { Held } from './a-hold.ts';

type Outcome = { readonly type: PaymentEvent['type'] } & PaymentEvent['data'];

/** One payment attempt for a reservation, with the messages that payments would publish of it, each with the next version. */
export interface Payment {
  readonly attemptId: string;
  readonly orderId: string;
  confirmed(): Outcome;
  failed(): Outcome;
  waiting(until: Date): Outcome;
  refunded(sumKrw: number, more?: { cancellationId?: string | null; ticketIds?: readonly string[] }): Outcome;
  reversed(): Outcome;
}

export function aPayment(held: Pick<Held, 'id' | 'userId' | 'totalKrw'>): Payment {
  const attemptId = randomUUID();
  const orderId = `order-${attemptId.slice(0, 8)}`;
  let version = 0;
  const base = (capturedKrw: number, refundedKrw: number) => ({
    ...{ attemptId, orderId, version: ++version, paymentType: 'reservation' as const, referenceId: held.id },
    ...{ userId: held.userId, provider: 'sandbox', paymentKey: null, amountKrw: held.totalKrw },
    ...{ capturedKrw, refundedKrw, at: new Date().toISOString() },
  });
  return {
    attemptId,
    orderId,
    confirmed: () => ({ type: 'PAYMENT_CONFIRMED', ...base(held.totalKrw, 0) }),
    failed: () => ({ type: 'PAYMENT_FAILED', ...base(0, 0), reason: 'declined' }),
    waiting: (until) => ({
      ...{ type: 'PAYMENT_WAITING_FOR_DEPOSIT' as const, ...base(0, 0), depositUntil: until.toISOString() },
    }),
    refunded: (sumKrw, { cancellationId = null, ticketIds = [] } = {}) => ({
      ...{ type: 'PAYMENT_REFUNDED' as const, ...base(held.totalKrw, sumKrw), refundId: randomUUID() },
      ...{ refundKrw: sumKrw, cancellationId, ticketIds: [...ticketIds] },
    }),
    reversed: () => ({ type: 'PAYMENT_REVERSED', ...base(held.totalKrw, 0), reason: 'deposit taken back' }),
  };
}

/** A payment that has its reservation pinned. */
export async function aPinned(database: Database, held: Pick<Held, 'id' | 'userId' | 'totalKrw'>): Promise<Payment> {
  const payment = aPayment(held);
  const { id: reservationId, userId, totalKrw: amountKrw } = held;
  const verdict = await pin(database, { reservationId, userId, amountKrw, attemptId: payment.attemptId });
  if (verdict !== 'pinned') throw new Error(`the reservation was not pinned: ${verdict}`);
  return payment;
}
