import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { ProviderPayment, ProviderRefund } from '../../ports.ts';
import { bankName } from './banks.ts';
import { closedReason, refundIdIn } from './reasons.ts';
import { tossTimeMs } from './times.ts';

const optional = <T extends Parameters<typeof Type.Optional>[0]>(schema: T) =>
  Type.Optional(Type.Union([schema, Type.Null()]));

const Cancel = Type.Object({
  transactionKey: Type.String({ minLength: 1, maxLength: 200 }),
  cancelReason: optional(Type.String()),
  cancelAmount: Type.Integer({ minimum: 0 }),
  canceledAt: Type.String(),
  /** Missing in older answers: then it is done. */
  cancelStatus: optional(Type.String()),
});

/** What is read of a Payment object (2022-11-16). There is more in it; what is not needed is not looked at. */
const Payment = Type.Object({
  paymentKey: Type.String({ minLength: 1, maxLength: 200 }),
  orderId: Type.String({ minLength: 1, maxLength: 64 }),
  status: Type.String(),
  currency: Type.String(),
  totalAmount: Type.Number({ minimum: 0 }),
  balanceAmount: Type.Number({ minimum: 0 }),
  method: optional(Type.String()),
  approvedAt: optional(Type.String()),
  lastTransactionKey: optional(Type.String()),
  failure: optional(Type.Object({ code: Type.String() })),
  cancels: optional(Type.Array(Cancel)),
  virtualAccount: optional(
    Type.Object({
      accountNumber: Type.String(),
      bankCode: Type.String(),
      dueDate: Type.String(),
      expired: Type.Optional(Type.Boolean()),
    }),
  ),
});
type Payment = Static<typeof Payment>;
const payments = Compile(Payment);

/** A payment, and beside it what only this adapter asks for. */
export interface TossView {
  readonly payment: ProviderPayment;
  /** Why it failed, as a code. */
  readonly failureCode: string | null;
  /** Refunds of ours that Toss is still at. */
  readonly refundsUnderWay: readonly string[];
  readonly lastReference: string | null;
}

const accountMethods = ['가상계좌', 'VIRTUAL_ACCOUNT'];
const withMoney = ['DONE', 'PARTIAL_CANCELED', 'CANCELED'];

/**
 * - `balanceAmount` is the whole amount also while a deposit is awaited: there is money only in the states that say so.
 * - `approvedAt` is when the money came; it stays when the bank takes a deposit back, and the state is WAITING_FOR_DEPOSIT again then.
 * - An account that is closed before its deposit has a cancellation of the whole amount, by which no money moved.
 * - All of it may be given back in parts: the state is then PARTIAL_CANCELED with a balance of 0.
 */
export function viewOf(body: unknown): TossView {
  if (!payments.Check(body)) throw new Error('the answer is no payment');
  const wasCaptured = body.approvedAt != null;
  const cancels = body.cancels ?? [];
  const refunds = wasCaptured
    ? cancels.filter((cancel) => isDone(cancel) && movedMoney(cancel, body)).map(refundOf)
    : [];
  const balanceKrw = wasCaptured && withMoney.includes(body.status) ? body.balanceAmount : 0;
  const payment: ProviderPayment = {
    ...{ paymentKey: body.paymentKey, orderId: body.orderId, currency: body.currency },
    ...{ amountKrw: body.totalAmount, balanceKrw, wasCaptured, refunds: refunds.sort((a, b) => a.atMs - b.atMs) },
    status: statusOf(body, { balanceKrw, hasRefunds: refunds.length > 0 }),
    method: body.virtualAccount != null || accountMethods.includes(body.method ?? '') ? 'virtual_account' : 'card',
    account: accountOf(body),
  };
  return {
    payment,
    failureCode: body.failure?.code ?? null,
    refundsUnderWay: cancels.filter(({ cancelStatus }) => cancelStatus === 'IN_PROGRESS').flatMap(ownId),
    lastReference: body.lastTransactionKey ?? null,
  };
}

function statusOf(
  { status, virtualAccount }: Payment,
  { balanceKrw, hasRefunds }: { balanceKrw: number; hasRefunds: boolean },
): ProviderPayment['status'] {
  switch (status) {
    case 'READY':
      return 'open';
    case 'IN_PROGRESS':
      return 'in_progress';
    case 'WAITING_FOR_DEPOSIT':
      return virtualAccount?.expired === true ? 'expired' : 'waiting_for_deposit';
    case 'DONE':
      return 'captured';
    case 'PARTIAL_CANCELED':
    case 'CANCELED':
      if (balanceKrw > 0) return 'captured';
      return hasRefunds ? 'refunded' : 'failed';
    case 'ABORTED':
      return 'failed';
    case 'EXPIRED':
      return 'expired';
    default:
      throw new Error(`a payment is ${status.slice(0, 40)}, which is not known here`);
  }
}

const isDone = ({ cancelStatus }: Static<typeof Cancel>) => cancelStatus == null || cancelStatus === 'DONE';

/** An account that was closed has a cancellation, too: from before its money came, or with our own mark. */
function movedMoney({ canceledAt, cancelReason }: Static<typeof Cancel>, { approvedAt }: Payment): boolean {
  return cancelReason !== closedReason && tossTimeMs(canceledAt) >= tossTimeMs(approvedAt ?? '');
}

function refundOf({ transactionKey, cancelReason, cancelAmount, canceledAt }: Static<typeof Cancel>): ProviderRefund {
  return {
    reference: transactionKey,
    refundId: refundIdIn(cancelReason ?? ''),
    amountKrw: cancelAmount,
    atMs: tossTimeMs(canceledAt),
  };
}

function ownId({ cancelReason }: Static<typeof Cancel>): string[] {
  const refundId = refundIdIn(cancelReason ?? '');
  return refundId === null ? [] : [refundId];
}

function accountOf({ virtualAccount }: Payment): ProviderPayment['account'] {
  if (virtualAccount == null) return null;
  const { bankCode, accountNumber, dueDate } = virtualAccount;
  const depositUntilMs = tossTimeMs(dueDate);
  if (Number.isNaN(depositUntilMs)) throw new Error('a virtual account has no deadline that can be read');
  return { bank: bankName(bankCode), number: accountNumber, depositUntilMs };
}
