import type { FakePayment, FakeTransaction } from './state.ts';

const seoulOffsetMs = 9 * 60 * 60_000;

/** `2026-11-18T21:04:05+09:00`: Toss's times are of whole seconds. */
export function seoulTime(ms: number): string {
  return `${new Date(ms + seoulOffsetMs).toISOString().slice(0, 19)}+09:00`;
}

/** The Payment object (2022-11-16), as far as it can be played. */
export function shownPayment(payment: FakePayment) {
  const { paymentKey, orderId, orderName, amount, status, method, account, failure } = payment;
  return {
    ...{ mId: 'tfake', version: '2022-11-16', paymentKey, orderId, orderName, status, currency: 'KRW', type: 'NORMAL' },
    method: method === 'CARD' ? '카드' : '가상계좌',
    totalAmount: amount,
    // The whole amount also while nothing has been paid: so does Toss.
    balanceAmount: payment.balance,
    requestedAt: seoulTime(payment.createdAtMs),
    approvedAt: payment.approvedAtMs === null ? null : seoulTime(payment.approvedAtMs),
    lastTransactionKey: payment.lastTransactionKey,
    isPartialCancelable: true,
    failure: failure === null ? null : { code: failure, message: failure },
    card: method === 'CARD' ? { amount, issuerCode: '61', number: '12345678****123*', approveNo: '00000000' } : null,
    virtualAccount:
      account === null
        ? null
        : {
            ...{ accountType: '일반', accountNumber: account.number, bankCode: '88', customerName: '김우르' },
            ...{ dueDate: seoulTime(account.dueAtMs), expired: status === 'EXPIRED', refundStatus: 'NONE' },
            settlementStatus: 'INCOMPLETED',
          },
    cancels:
      payment.cancels.length === 0
        ? null
        : payment.cancels.map(({ atMs, ...cancel }) => ({
            ...{ ...cancel, canceledAt: seoulTime(atMs), cancelStatus: 'DONE', taxFreeAmount: 0, refundableAmount: 0 },
          })),
  };
}

export function shownTransaction({ atMs, ...transaction }: FakeTransaction) {
  return { mId: 'tfake', ...transaction, method: '카드', currency: 'KRW', transactionAt: seoulTime(atMs) };
}
