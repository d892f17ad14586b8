import { assertNever } from '#platform/assert.ts';
import type { PaymentMethod, PaymentStatus, PaymentType } from '../domain/payment.ts';
import type { PaymentProvider, PaymentsDeps, RefundAccount } from '../ports.ts';
import type { OrderView, PaidReservation } from '../schemas.ts';
import { findOrder, type OrderRecord, saveOrder } from '../storage/orders.ts';
import { type PaymentRecord, pendingRefundKrw, tellingPayment } from '../storage/payments.ts';
import type { Payables } from './payables.ts';

export interface PrepareCall {
  readonly userId: string;
  readonly paymentType: PaymentType;
  readonly referenceId: string;
  readonly method: PaymentMethod;
  readonly refundAccount: RefundAccount | null;
}

export type PrepareVerdict =
  | { readonly status: 'ready'; readonly order: OrderRecord }
  | { readonly status: 'unknown' | 'expired' | 'closed' | 'paying' | 'account-needed' }
  | { readonly status: 'too-small'; readonly minimumKrw: number };

export interface StandingOrder {
  readonly order: OrderRecord;
  readonly state: OrderView['state'];
  readonly payment: PaymentRecord | null;
  readonly refundPendingKrw: number;
  readonly reservation: PaidReservation | null;
}

export interface Orders {
  /** Repeating it gives the same order. */
  prepare(call: PrepareCall): Promise<PrepareVerdict>;
  /** Null: there is none, or it is somebody else's. */
  standing(call: { orderId: string; userId: string }): Promise<StandingOrder | null>;
}

type OrdersDeps = Pick<PaymentsDeps, 'database' | 'ids'> & {
  /** Where new orders go. */
  readonly provider: PaymentProvider;
  readonly payables: Payables;
};

export function createOrders({ database, ids, provider, payables }: OrdersDeps): Orders {
  return {
    async prepare({ userId, paymentType, referenceId, method, refundAccount }) {
      if (method === 'virtual_account' && refundAccount === null) return { status: 'account-needed' };
      const ready = await payables.prepare({ userId, paymentType, referenceId });
      if (ready.status !== 'ready') return ready;
      const minimumKrw = provider.minimumKrw[method];
      if (ready.amountKrw < minimumKrw) return { status: 'too-small', minimumKrw };
      const order = await saveOrder(database, {
        ...{ orderId: ids.next(), paymentType, referenceId, eventId: ready.eventId, userId, method },
        ...{ orderName: ready.name.slice(0, 100), amountKrw: ready.amountKrw, provider: provider.name, refundAccount },
        ...{ expiresAtMs: ready.expiresAtMs, closesAtMs: ready.closesAtMs },
      });
      return { status: 'ready', order };
    },

    async standing({ orderId, userId }) {
      const order = await findOrder(database, orderId);
      if (order === null || order.userId !== userId) return null;
      const payment = await tellingPayment(database, orderId);
      const found = await payables.shown(order);
      const refundPendingKrw = payment === null ? 0 : await pendingRefundKrw(database, payment.paymentId);
      if (found === null) return { order, payment, refundPendingKrw, reservation: null, state: stateOf(payment, null) };
      const { attemptId: _, ...reservation } = found;
      return { order, payment, refundPendingKrw, reservation, state: stateOf(payment, reservation) };
    },
  };
}

/** An order is open while what it is for can be paid: its own attempts have ended, and the hold has not. */
function stateOf(payment: PaymentRecord | null, reservation: PaidReservation | null): OrderView['state'] {
  const status: PaymentStatus | null = payment?.status ?? null;
  switch (status) {
    case 'created':
    case 'capturing':
      return 'paying';
    case 'unknown':
    case 'waiting_for_deposit':
      return status;
    case 'captured':
    case 'partially_refunded':
      return 'paid';
    case 'refunded':
    case 'orphaned':
    case 'reversed':
      return 'refunded';
    case null:
    case 'failed':
    case 'abandoned':
    case 'expired':
      if (reservation?.status === 'pending') return reservation.attemptsLeft > 0 ? 'open' : 'closed';
      // Paid for by another order, or another attempt is at it.
      if (reservation?.status === 'paying') return 'paying';
      return 'closed';
    default:
      return assertNever(status);
  }
}
