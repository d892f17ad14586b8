import type { Queryable } from '#platform/postgres/database.ts';
import type { SandboxPlan } from '../../domain/sandbox-cards.ts';
import type { CaptureCall, ProviderMovement, ProviderPayment, RefundCall } from '../../ports.ts';

/** The functions of migrations/0002_sandbox.sql. Payments come as the port has them: `payments.sandbox_view` writes them so. */

export type CaptureRow =
  | { readonly verdict: 'captured' | 'waiting_for_deposit'; readonly payment: ProviderPayment }
  | { readonly verdict: 'declined'; readonly code: string }
  | { readonly verdict: 'slow'; readonly wait_ms: number }
  | { readonly verdict: 'silent' | 'down' | 'over' };

export type RefundRow =
  | { readonly verdict: 'done'; readonly reference: string; readonly payment: ProviderPayment }
  | { readonly verdict: 'refused'; readonly code: string }
  | { readonly verdict: 'later'; readonly wait_ms: number }
  | { readonly verdict: 'silent' };

export interface FoundRow {
  readonly is_down: boolean;
  readonly payment: ProviderPayment;
}

const prepared = { prepare: true };

export async function callCapture(on: Queryable, call: CaptureCall, plan: SandboxPlan): Promise<CaptureRow> {
  const { rows } = await on.query<CaptureRow>(
    'SELECT * FROM payments.sandbox_capture($1, $2, $3, $4, $5, $6)',
    [
      ...[call.paymentKey, call.orderId, call.method, call.amountKrw, JSON.stringify(plan)],
      call.depositUntilMs === null ? null : new Date(call.depositUntilMs),
    ],
    prepared,
  );
  return only(rows);
}

export async function callRefund(
  on: Queryable,
  call: Pick<RefundCall, 'paymentKey' | 'amountKrw' | 'balanceKrw'> & { refundId: string | null; hasAccount: boolean },
): Promise<RefundRow> {
  const { rows } = await on.query<RefundRow>('SELECT * FROM payments.sandbox_refund($1, $2, $3, $4, $5)', [
    ...[call.paymentKey, call.refundId, call.amountKrw, call.balanceKrw, call.hasAccount],
  ]);
  return only(rows);
}

export async function findPayment(on: Queryable, by: { paymentKey: string } | { orderId: string }) {
  const [name, text] = 'paymentKey' in by ? [by.paymentKey, byKey] : [by.orderId, byOrder];
  const { rows } = await on.query<FoundRow>(text, [name], prepared);
  return rows[0] ?? null;
}

const found = `SELECT payments.sandbox_is_down(p, at.moment) AS is_down, payments.sandbox_view(p, at.moment) AS payment
  FROM (SELECT payments.sandbox_now() AS moment) AS at, payments.sandbox_payments AS p`;
const byKey = `${found} WHERE p.payment_key = $1`;
/** Of several, the one that has money; else the newest. */
const byOrder = `SELECT * FROM (${found} WHERE p.order_id = $1 ORDER BY p.created_at DESC) AS own
  ORDER BY (payment->>'balanceKrw')::integer > 0 DESC, (payment->>'wasCaptured')::boolean DESC LIMIT 1`;

export async function callBank(on: Queryable, orderId: string, act: 'deposit' | 'reverse'): Promise<boolean> {
  const { rows } = await on.query<{ done: boolean }>('SELECT payments.sandbox_bank($1, $2) AS done', [orderId, act]);
  return only(rows).done;
}

/** Where a page begins: behind this movement. */
export interface ListPlace {
  readonly atMs: number;
  readonly id: string;
}

/** A reversed deposit is none of these: the bank took it back, and no refund did. */
export async function listMovements(
  on: Queryable,
  { fromMs, toMs, after, rowsMax }: { fromMs: number; toMs: number; after: ListPlace | null; rowsMax: number },
): Promise<ProviderMovement[]> {
  const { rows } = await on.query<Omit<ProviderMovement, 'atMs'> & { atMs: string }>(
    `SELECT m.id::text AS reference, p.payment_key AS "paymentKey", p.order_id AS "orderId", m.kind, m.amount_krw AS "amountKrw",
       payments.sandbox_ms(m.at) AS "atMs"
     FROM payments.sandbox_movements AS m JOIN payments.sandbox_payments AS p USING (payment_key)
     WHERE m.kind <> 'reversed' AND m.at >= $1 AND m.at < $2 AND m.at <= (SELECT urr.now()) AND (m.at, m.id) > ($3, $4)
     ORDER BY m.at, m.id LIMIT $5`,
    [new Date(fromMs), new Date(toMs), after === null ? '-infinity' : new Date(after.atMs), after?.id ?? '0', rowsMax],
  );
  return rows.map((row) => ({ ...row, atMs: Number(row.atMs) }));
}

function only<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined) throw new Error('a function of the sandbox returned no row');
  return row;
}
