import { namedId } from '../domain/named-ids.ts';
import type { PaymentsDeps, RefundAccount } from '../ports.ts';
import { findOrder, type OrderRecord, setRefundAccount } from '../storage/orders.ts';
import { findByKey, findPayment, type PaymentRecord, pendingRefundKrw } from '../storage/payments.ts';
import { requestRefund } from '../storage/refunds.ts';

export interface CancelCall {
  readonly paymentKey: string;
  readonly by: { readonly userId: string; readonly role: string; readonly isStaff: boolean };
  readonly ticketIds: readonly string[] | null;
  /** Goodwill: voids nothing. */
  readonly amountKrw: number | null;
  readonly reason: string;
  readonly refundAccount: RefundAccount | null;
  /** By which a repeat is known again. */
  readonly intentKey: string;
  readonly requestId: string;
}

export type CancelVerdict =
  | { readonly status: 'done'; readonly payment: PaymentRecord; readonly order: OrderRecord }
  | { readonly status: 'unknown' | 'staff-only' | 'either' | 'not-cancellable' | 'mismatch' }
  | { readonly status: 'nothing-left'; readonly leftKrw: number };

export interface Cancel {
  cancel(call: CancelCall): Promise<CancelVerdict>;
}

type CancelDeps = Pick<PaymentsDeps, 'database' | 'ticketing' | 'audit'>;

/**
 * Tickets are void before their money goes back, so that none is sold on or used meanwhile: ticketing cancels, and its message asks for the
 * refund. Goodwill is the other way to give money: nothing is void, and it is booked by itself.
 */
export function createCancel({ database, ticketing, audit }: CancelDeps): Cancel {
  async function giveGoodwill(call: CancelCall, payment: PaymentRecord, amountKrw: number) {
    const refundId = namedId('goodwill', payment.paymentId, call.intentKey);
    return database.transaction(async (tx) => {
      // By a statement of its own: one that waits for the lock would count the refunds that it saw before it waited.
      await tx.query('SELECT FROM payments.payments WHERE payment_id = $1 FOR UPDATE', [payment.paymentId]);
      const now = await findPayment(tx, payment.paymentId);
      if (now === null) throw new Error('a payment that was there a moment ago is gone');
      const leftKrw = now.capturedKrw - now.refundedKrw - (await pendingRefundKrw(tx, payment.paymentId));
      const known = await tx.query<{ asked: number }>(
        'SELECT asked_krw AS asked FROM payments.refunds WHERE refund_id = $1',
        [refundId],
      );
      if (known.rows[0] !== undefined) return known.rows[0].asked === amountKrw ? 'known' : 'mismatch';
      if (amountKrw > leftKrw) return { leftKrw };
      if (call.refundAccount !== null) await setRefundAccount(tx, payment.orderId, call.refundAccount);
      await requestRefund(tx, {
        ...{ refundId, paymentId: payment.paymentId, kind: 'goodwill', cancellationId: null, ticketIds: [] },
        ...{ amountKrw, reason: call.reason },
      });
      await audit.record(tx, {
        actorId: call.by.userId,
        actorRole: call.by.role,
        action: 'payments.payment.goodwill',
        subject: payment.paymentId,
        before: null,
        after: { amountKrw, reason: call.reason, setsRefundAccount: call.refundAccount !== null },
        requestId: call.requestId,
      });
      return 'requested' as const;
    });
  }

  /** The refund is sent as soon as the tickets are void, so its account is there before; by staff it is never unseen. */
  async function nameAccount(call: CancelCall, order: OrderRecord): Promise<RefundAccount | null> {
    const { refundAccount, by, requestId } = call;
    if (refundAccount === null) return null;
    await database.transaction(async (tx) => {
      await setRefundAccount(tx, order.orderId, refundAccount);
      if (by.isStaff)
        await audit.record(tx, {
          ...{ actorId: by.userId, actorRole: by.role, requestId },
          ...{ action: 'payments.order.refund-account', subject: order.orderId, before: null, after: null },
        });
    });
    return order.refundAccount;
  }

  async function putAccountBack(call: CancelCall, order: OrderRecord, before: RefundAccount | null): Promise<void> {
    if (call.refundAccount !== null) await setRefundAccount(database, order.orderId, before);
  }

  return {
    async cancel(call) {
      const payment = await findByKey(database, { paymentKey: call.paymentKey });
      const order = payment === null ? null : await findOrder(database, payment.orderId);
      if (payment === null || order === null) return { status: 'unknown' };
      if (!call.by.isStaff && order.userId !== call.by.userId) return { status: 'unknown' };
      if (call.amountKrw !== null && !call.by.isStaff) return { status: 'staff-only' };
      if (call.amountKrw !== null && call.ticketIds !== null) return { status: 'either' };

      if (call.amountKrw !== null) {
        const given = await giveGoodwill(call, payment, call.amountKrw);
        if (typeof given === 'object') return { status: 'nothing-left', leftKrw: given.leftKrw };
        if (given === 'mismatch') return { status: 'mismatch' };
      } else {
        if (order.paymentType !== 'reservation') return { status: 'not-cancellable' };
        const before = await nameAccount(call, order);
        const { verdict, ticketIds } = await ticketing.cancelTickets({
          reservationId: order.referenceId,
          cancellationId: namedId('cancel', payment.paymentId, call.intentKey),
          userId: call.by.isStaff ? null : call.by.userId,
          ticketIds: call.ticketIds === null ? null : [...call.ticketIds],
          reason: call.by.isStaff ? 'staff' : 'buyer',
          terms: call.by.isStaff ? 'full' : 'policy',
        });
        // There is nothing left to cancel, and money is still on its way back: to the account that was just named.
        const isAboutAccount = verdict === 'closed' && call.refundAccount !== null && call.ticketIds === null;
        if (isAboutAccount && (await pendingRefundKrw(database, payment.paymentId)) > 0)
          return { status: 'done', payment, order };
        if (verdict !== 'cancelled') await putAccountBack(call, order, before);
        if (verdict === 'unknown') return { status: 'unknown' };
        if (verdict !== 'cancelled') return { status: 'not-cancellable' };
        // The same key was used for other tickets before.
        if (call.ticketIds !== null && !isSame(call.ticketIds, ticketIds)) return { status: 'mismatch' };
        if (call.by.isStaff)
          await database.transaction((tx) =>
            audit.record(tx, {
              actorId: call.by.userId,
              actorRole: call.by.role,
              action: 'payments.payment.cancel',
              subject: payment.paymentId,
              before: null,
              after: { ticketIds: call.ticketIds, reason: call.reason },
              requestId: call.requestId,
            }),
          );
      }
      const now = await findPayment(database, payment.paymentId);
      return { status: 'done', payment: now ?? payment, order };
    },
  };
}

function isSame(wanted: readonly string[], done: readonly string[]): boolean {
  return new Set(wanted).size === done.length && done.every((id) => wanted.includes(id));
}
