import type { Queryable } from '#platform/postgres/database.ts';
import type { PaymentMethod, PaymentStatus } from '../domain/payment.ts';
import type { VirtualAccount } from '../ports.ts';

/** An attempt to pay for an order. */
export interface PaymentRecord {
  readonly paymentId: string;
  readonly orderId: string;
  readonly provider: string;
  readonly paymentKey: string | null;
  readonly method: PaymentMethod;
  readonly status: PaymentStatus;
  readonly version: number;
  readonly amountKrw: number;
  readonly capturedKrw: number;
  readonly refundedKrw: number;
  readonly account: VirtualAccount | null;
  readonly depositUntilMs: number | null;
  readonly declineCode: string | null;
  readonly declineReason: string | null;
  readonly refundRequested: boolean;
  readonly isSettled: boolean;
  readonly checks: number;
  readonly unknownSinceMs: number | null;
  readonly createdAtMs: number;
  readonly changedAtMs: number;
}

export interface PaymentRow {
  readonly payment_id: string;
  readonly order_id: string;
  readonly provider: string;
  readonly payment_key: string | null;
  readonly method: PaymentMethod;
  readonly status: PaymentStatus;
  readonly version: number;
  readonly amount_krw: number;
  readonly captured_krw: number;
  readonly refunded_krw: number;
  readonly account: { readonly bank: string; readonly number: string } | null;
  readonly deposit_until: Date | null;
  readonly decline_code: string | null;
  readonly decline_reason: string | null;
  readonly refund_requested: boolean;
  readonly is_settled: boolean;
  readonly checks: number;
  readonly unknown_since: Date | null;
  readonly created_at: Date;
  readonly changed_at: Date;
}

export function paymentOf(row: PaymentRow): PaymentRecord {
  const depositUntilMs = row.deposit_until?.getTime() ?? null;
  return {
    paymentId: row.payment_id,
    orderId: row.order_id,
    provider: row.provider,
    paymentKey: row.payment_key,
    method: row.method,
    status: row.status,
    version: row.version,
    amountKrw: row.amount_krw,
    capturedKrw: row.captured_krw,
    refundedKrw: row.refunded_krw,
    account: row.account === null || depositUntilMs === null ? null : { ...row.account, depositUntilMs },
    depositUntilMs,
    declineCode: row.decline_code,
    declineReason: row.decline_reason,
    refundRequested: row.refund_requested,
    isSettled: row.is_settled,
    checks: row.checks,
    unknownSinceMs: row.unknown_since?.getTime() ?? null,
    createdAtMs: row.created_at.getTime(),
    changedAtMs: row.changed_at.getTime(),
  };
}

export type BeginVerdict = 'begun' | 'known' | 'mismatch' | 'unknown_order' | 'amount' | 'in_progress' | 'paid';

export interface BeginCall {
  readonly paymentId: string;
  readonly orderId: string;
  readonly userId: string;
  readonly paymentKey: string;
  readonly provider: string;
  /** What the caller believes it to be; null: does not say. */
  readonly amountKrw: number | null;
  readonly intent: { readonly key: string; readonly print: string } | null;
}

/** `payments.begin_attempt`: step 1. */
export async function beginAttempt(
  on: Queryable,
  call: BeginCall,
): Promise<{ verdict: BeginVerdict; payment: PaymentRecord | null }> {
  const { rows } = await on.query<{ verdict: BeginVerdict } & Partial<PaymentRow>>(
    'SELECT verdict, (payment).* FROM payments.begin_attempt($1, $2, $3, $4, $5, $6, $7, $8)',
    [
      ...[call.paymentId, call.orderId, call.userId, call.paymentKey, call.provider, call.amountKrw],
      ...[call.intent?.key ?? null, call.intent?.print ?? null],
    ],
    { prepare: true },
  );
  const [row] = rows;
  if (row === undefined) throw new Error('payments.begin_attempt has answered nothing');
  // A verdict without a payment has nulls in all of its columns.
  const payment = row.payment_id == null ? null : paymentOf(row as PaymentRow);
  return { verdict: row.verdict, payment };
}

export interface MoveCall {
  readonly paymentId: string;
  readonly from: readonly PaymentStatus[];
  readonly to: PaymentStatus;
  readonly changes?: {
    readonly capturedKrw?: number;
    readonly paymentKey?: string;
    readonly method?: PaymentMethod;
    readonly refundRequested?: boolean;
    readonly depositUntil?: string;
    readonly account?: { readonly bank: string; readonly number: string };
    readonly declineCode?: string;
    readonly declineReason?: string;
    /** When it is looked at next, if nothing happens; not at all without it. */
    readonly checkInMs?: number;
  };
  readonly tell?: {
    readonly type: 'PAYMENT_CONFIRMED' | 'PAYMENT_FAILED' | 'PAYMENT_WAITING_FOR_DEPOSIT';
    readonly more?: Readonly<Record<string, unknown>>;
  };
}

/** `payments.move`: one step of an attempt. Null: it is in another state by now. */
export async function movePayment(on: Queryable, call: MoveCall): Promise<PaymentRecord | null> {
  const { rows } = await on.query<PaymentRow>(
    'SELECT * FROM payments.move($1, $2, $3, $4, $5, $6)',
    [
      ...[call.paymentId, call.from, call.to, JSON.stringify(call.changes ?? {})],
      ...[call.tell?.type ?? null, JSON.stringify(call.tell?.more ?? {})],
    ],
    { prepare: true },
  );
  return firstPayment(rows);
}

/** Attempts that are due to be looked at, given to this process for a minute. */
export async function takeDue(on: Queryable, rowsMax: number): Promise<{ due: PaymentRecord[]; nowMs: number }> {
  const { rows } = await on.query<PaymentRow & { readonly now: Date }>(
    'SELECT *, urr.now() AS now FROM payments.take_due($1)',
    [rowsMax],
  );
  return { due: rows.map(paymentOf), nowMs: rows[0]?.now.getTime() ?? 0 };
}

export async function checkAgain(on: Queryable, paymentId: string, inMs: number | null): Promise<void> {
  await on.query(
    `UPDATE payments.payments SET next_check_at = urr.now() + $2::bigint * interval '1 millisecond' WHERE payment_id = $1`,
    [paymentId, inMs],
  );
}

export async function findPayment(on: Queryable, paymentId: string): Promise<PaymentRecord | null> {
  const { rows } = await on.query<PaymentRow>('SELECT * FROM payments.payments WHERE payment_id = $1', [paymentId]);
  return firstPayment(rows);
}

export async function findByKey(
  on: Queryable,
  by: { readonly paymentKey: string; readonly provider?: string },
): Promise<PaymentRecord | null> {
  const { rows } = await on.query<PaymentRow>(
    'SELECT * FROM payments.payments WHERE payment_key = $1 AND ($2::text IS NULL OR provider = $2) ORDER BY created_at DESC LIMIT 1',
    [by.paymentKey, by.provider ?? null],
  );
  return firstPayment(rows);
}

/** The attempt that tells how an order stands: a live one, else one that has money, else the last. */
export async function tellingPayment(on: Queryable, orderId: string): Promise<PaymentRecord | null> {
  const { rows } = await on.query<PaymentRow>(
    `SELECT * FROM payments.payments WHERE order_id = $1
     ORDER BY status IN ('created', 'capturing', 'unknown', 'waiting_for_deposit') DESC,
       captured_krw > 0 AND NOT is_orphan DESC, created_at DESC LIMIT 1`,
    [orderId],
  );
  return firstPayment(rows);
}

export async function pendingRefundKrw(on: Queryable, paymentId: string): Promise<number> {
  const { rows } = await on.query<{ krw: number }>('SELECT payments.pending_krw($1) AS krw', [paymentId]);
  return rows[0]?.krw ?? 0;
}

/** Those of a user, the newest first; `before` is where the page before ended. */
export async function listPayments(
  on: Queryable,
  call: { readonly userId: string; readonly before: string | null; readonly limit: number },
): Promise<PaymentRecord[]> {
  const { rows } = await on.query<PaymentRow>(
    `SELECT p.* FROM payments.payments AS p JOIN payments.orders AS o USING (order_id)
     WHERE o.user_id = $1 AND ($2::uuid IS NULL OR p.payment_id < $2) ORDER BY p.payment_id DESC LIMIT $3`,
    [call.userId, call.before, call.limit],
  );
  return rows.map(paymentOf);
}

/** What was heard about these attempts' reservations: tickets are there, or there is nothing to give. */
export async function settle(on: Queryable, paymentIds: readonly string[]): Promise<void> {
  await on.query(
    'UPDATE payments.payments SET is_settled = true WHERE payment_id = ANY ($1::uuid[]) AND NOT is_settled',
    [paymentIds],
  );
}

/** Nothing is to be given for it, and all of its money has gone back. */
export async function settleOrphan(on: Queryable, paymentId: string): Promise<void> {
  await on.query(
    'UPDATE payments.payments SET is_settled = true, is_orphan = true WHERE payment_id = $1 AND refunded_krw = captured_krw',
    [paymentId],
  );
}

function firstPayment(rows: readonly PaymentRow[]): PaymentRecord | null {
  return rows[0] === undefined ? null : paymentOf(rows[0]);
}

/** What these attempts have come to is told once more; the same versions, so that nothing happens twice. */
export async function tellAgain(on: Queryable, paymentIds: readonly string[]): Promise<void> {
  await on.query('SELECT payments.tell_again($1::uuid[])', [paymentIds]);
}

/** Live attempts for these things are looked at at once: nobody wants them any more. */
export async function markUnwanted(on: Queryable, referenceIds: readonly string[]): Promise<void> {
  await on.query('SELECT payments.no_longer_wanted($1::uuid[])', [referenceIds]);
}

/** A payment of one of our orders that only the provider knew. Null: the order is not ours, or is with another provider. */
export async function adoptPayment(
  on: Queryable,
  call: {
    readonly paymentId: string;
    readonly orderId: string;
    readonly provider: string;
    readonly paymentKey: string;
  },
): Promise<PaymentRecord | null> {
  const { rows } = await on.query<PaymentRow>('SELECT * FROM payments.adopt_payment($1, $2, $3, $4)', [
    ...[call.paymentId, call.orderId, call.provider, call.paymentKey],
  ]);
  return firstPayment(rows);
}

/** The attempts of orders that have money, by order; the one whose tickets are there comes first. */
export async function paidBy(on: Queryable, orderIds: readonly string[]): Promise<Map<string, PaymentRecord[]>> {
  const { rows } = await on.query<PaymentRow>(
    `SELECT * FROM payments.payments WHERE order_id = ANY ($1) AND captured_krw > 0 AND NOT is_orphan
     ORDER BY is_settled DESC, created_at`,
    [orderIds],
  );
  return Map.groupBy(rows.map(paymentOf), ({ orderId }) => orderId);
}

/** How these attempts stand. */
export async function attemptStatuses(
  on: Queryable,
  paymentIds: readonly string[],
): Promise<{ attemptId: string; status: PaymentStatus }[]> {
  const { rows } = await on.query<{ attemptId: string; status: PaymentStatus }>(
    'SELECT payment_id AS "attemptId", status FROM payments.payments WHERE payment_id = ANY ($1::uuid[])',
    [paymentIds],
  );
  return rows;
}
