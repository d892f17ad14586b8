import type { Queryable } from '#platform/postgres/database.ts';
import type { RefundKind, RefundStatus } from '../domain/payment.ts';
import { sagaTimes } from '../domain/schedule.ts';
import { type PaymentRecord, type PaymentRow, paymentOf } from './payments.ts';

export interface RefundRecord {
  readonly refundId: string;
  readonly paymentId: string;
  readonly kind: RefundKind;
  readonly amountKrw: number;
  readonly status: RefundStatus;
  readonly reason: string;
  readonly reference: string | null;
  readonly tries: number;
  readonly firstSentAtMs: number | null;
  readonly requestedAtMs: number;
  /** It has been tried for a day: a person has to look. */
  readonly isOld: boolean;
}

interface RefundRow {
  readonly refund_id: string;
  readonly payment_id: string;
  readonly kind: RefundKind;
  readonly amount_krw: number;
  readonly status: RefundStatus;
  readonly reason: string;
  readonly reference: string | null;
  readonly tries: number;
  readonly first_sent_at: Date | null;
  readonly requested_at: Date;
  readonly is_old?: boolean;
}

export interface RequestRefundCall {
  readonly refundId: string;
  readonly paymentId: string;
  readonly kind: RefundKind;
  readonly cancellationId: string | null;
  readonly ticketIds: readonly string[];
  readonly amountKrw: number;
  readonly reason: string;
}

export type RequestRefundVerdict = 'requested' | 'known' | 'nothing_left' | 'nothing_captured' | 'unknown';

export async function requestRefund(on: Queryable, call: RequestRefundCall): Promise<RequestRefundVerdict> {
  const { rows } = await on.query<{ verdict: RequestRefundVerdict }>(
    'SELECT verdict FROM payments.request_refund($1, $2, $3, $4, $5, $6, $7)',
    [
      ...[call.refundId, call.paymentId, call.kind, call.cancellationId, call.ticketIds, call.amountKrw],
      call.reason.slice(0, 200),
    ],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('payments.request_refund has answered nothing');
  return row.verdict;
}

/** Refunds that are due, given to this process for a minute and a half. */
export async function takeRefunds(on: Queryable, rowsMax: number): Promise<RefundRecord[]> {
  const { rows } = await on.query<RefundRow>(
    `SELECT *, first_sent_at <= urr.now() - $2 * interval '1 millisecond' AS is_old FROM payments.take_refunds($1)`,
    [rowsMax, sagaTimes.manualAfterMs],
  );
  return rows.map(refundOf);
}

/** Cut to what is left of its payment, where money went back elsewhere meanwhile. */
export async function fitRefund(on: Queryable, refundId: string): Promise<RefundRecord> {
  const { rows } = await on.query<RefundRow>('SELECT * FROM payments.fit_refund($1)', [refundId]);
  const [row] = rows;
  if (row === undefined) throw new Error(`the refund ${refundId} is gone`);
  return refundOf(row);
}

/** The try has ended without a refund, as far as is known. `inMs` null: it waits for a person. */
export async function putRefundOff(
  on: Queryable,
  call: {
    readonly refundId: string;
    readonly status: 'failed' | 'unknown' | 'manual' | 'requested';
    readonly why: string;
    readonly inMs: number | null;
  },
): Promise<void> {
  await on.query('SELECT FROM payments.put_refund_off($1, $2, $3, $4)', [
    ...[call.refundId, call.status, call.why.slice(0, 500), call.inMs],
  ]);
}

/** A refund that waits for a person ends: it was settled in another way. */
export async function acceptRefund(on: Queryable, refundId: string): Promise<void> {
  await on.query(
    `SELECT payments.end_refund(refund_id, 'accepted by hand', true) FROM payments.refunds WHERE refund_id = $1 AND status = 'manual'`,
    [refundId],
  );
}

/** Null: it was done before. */
export async function finishRefund(
  on: Queryable,
  call: { readonly refundId: string; readonly reference: string },
): Promise<PaymentRecord | null> {
  const { rows } = await on.query<PaymentRow>('SELECT * FROM payments.finish_refund($1, $2)', [
    call.refundId,
    call.reference,
  ]);
  return rows[0] === undefined ? null : paymentOf(rows[0]);
}

/** A refund that somebody made at the provider. Null: it was known. */
export async function adoptRefund(
  on: Queryable,
  call: {
    readonly refundId: string;
    readonly paymentId: string;
    readonly amountKrw: number;
    readonly reference: string;
  },
): Promise<PaymentRecord | null> {
  const { rows } = await on.query<PaymentRow>('SELECT * FROM payments.adopt_refund($1, $2, $3, $4)', [
    ...[call.refundId, call.paymentId, call.amountKrw, call.reference],
  ]);
  return rows[0] === undefined ? null : paymentOf(rows[0]);
}

export async function reversePayment(on: Queryable, paymentId: string, why: string): Promise<PaymentRecord | null> {
  const { rows } = await on.query<PaymentRow>('SELECT * FROM payments.reverse($1, $2)', [paymentId, why]);
  return rows[0] === undefined ? null : paymentOf(rows[0]);
}

/** Money that came to an account whose deposit had been taken back: it is booked, and goes back. Null: there is none, or it was known. */
export async function depositAgain(
  on: Queryable,
  call: { readonly payment: PaymentRecord; readonly refundId: string; readonly amountKrw: number },
): Promise<PaymentRecord | null> {
  const { rows } = await on.query<PaymentRow>('SELECT * FROM payments.deposit_again($1, $2, $3)', [
    ...[call.payment.paymentId, call.refundId, call.amountKrw],
  ]);
  return rows[0] === undefined ? null : paymentOf(rows[0]);
}

export async function refundsOf(on: Queryable, paymentId: string): Promise<RefundRecord[]> {
  const { rows } = await on.query<RefundRow>(
    'SELECT * FROM payments.refunds WHERE payment_id = $1 ORDER BY requested_at',
    [paymentId],
  );
  return rows.map(refundOf);
}

function refundOf(row: RefundRow): RefundRecord {
  return {
    refundId: row.refund_id,
    paymentId: row.payment_id,
    kind: row.kind,
    amountKrw: row.amount_krw,
    status: row.status,
    reason: row.reason,
    reference: row.reference,
    tries: row.tries,
    firstSentAtMs: row.first_sent_at?.getTime() ?? null,
    requestedAtMs: row.requested_at.getTime(),
    isOld: row.is_old ?? false,
  };
}
