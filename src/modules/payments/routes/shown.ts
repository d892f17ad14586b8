import { isoTime } from '#platform/clock.ts';
import type { PaymentProvider } from '../ports.ts';
import type { Order, Payment } from '../schemas.ts';
import type { OrderRecord } from '../storage/orders.ts';
import type { PaymentRecord } from '../storage/payments.ts';

export function shownPayment(payment: PaymentRecord, order: OrderRecord, refundPendingKrw: number): Payment {
  const { account } = payment;
  return {
    id: payment.paymentId,
    orderId: payment.orderId,
    paymentKey: payment.paymentKey,
    paymentType: order.paymentType,
    referenceId: order.referenceId,
    provider: payment.provider,
    method: payment.method,
    status: payment.status,
    amountKrw: payment.amountKrw,
    capturedKrw: payment.capturedKrw,
    refundedKrw: payment.refundedKrw,
    refundPendingKrw,
    account:
      account === null
        ? null
        : { bank: account.bank, number: account.number, depositUntil: isoTime(account.depositUntilMs) },
    declineReason: payment.declineReason,
    createdAt: isoTime(payment.createdAtMs),
  };
}

export function shownOrder(order: OrderRecord, provider: PaymentProvider | null): Order {
  return {
    orderId: order.orderId,
    orderName: order.orderName,
    paymentType: order.paymentType,
    referenceId: order.referenceId,
    amountKrw: order.amountKrw,
    provider: order.provider,
    method: order.method,
    clientKey: provider?.clientKey ?? null,
    sdkUrl: provider?.sdkUrl ?? null,
    expiresAt: isoTime(order.expiresAtMs),
  };
}
