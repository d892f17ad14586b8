import type { Queryable, Transaction } from '#platform/postgres/database.ts';
import type { ManualItem } from '../schemas.ts';

export type ManualKind = ManualItem['kind'];

export interface NewManualItem {
  readonly manualId: string;
  /** What it is about: the same thing is on the list once while it is open. */
  readonly cause: string;
  readonly kind: ManualKind;
  readonly orderId?: string | null;
  readonly paymentId?: string | null;
  readonly refundId?: string | null;
  readonly provider?: string | null;
  readonly paymentKey?: string | null;
  readonly amountKrw?: number | null;
  /** For the person who looks at it. */
  readonly detail: string;
}

/** Says whether it is new. */
export async function openManual(on: Queryable, item: NewManualItem): Promise<boolean> {
  const { rowCount } = await on.query(
    `INSERT INTO payments.manual (manual_id, cause, kind, order_id, payment_id, refund_id, provider, payment_key, amount_krw, detail)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING`,
    [
      ...[item.manualId, item.cause, item.kind, item.orderId ?? null, item.paymentId ?? null, item.refundId ?? null],
      ...[item.provider ?? null, item.paymentKey ?? null, item.amountKrw ?? null, item.detail],
    ],
  );
  return rowCount > 0;
}

interface ManualRow {
  readonly manual_id: string;
  readonly kind: ManualKind;
  readonly order_id: string | null;
  readonly payment_id: string | null;
  readonly refund_id: string | null;
  readonly provider: string | null;
  readonly payment_key: string | null;
  readonly amount_krw: number | null;
  readonly detail: string;
  readonly opened_at: Date;
  readonly resolved_at: Date | null;
  readonly resolution: string | null;
}

/** The oldest first; `after` is where the page before ended. */
export async function listManual(
  on: Queryable,
  call: {
    readonly kind: ManualKind | null;
    readonly resolved: boolean;
    readonly after: string | null;
    readonly limit: number;
  },
): Promise<ManualItem[]> {
  const { rows } = await on.query<ManualRow>(
    `SELECT * FROM payments.manual WHERE ($1::text IS NULL OR kind = $1) AND (resolved_at IS NOT NULL) = $2
       AND ($3::uuid IS NULL OR manual_id > $3) ORDER BY manual_id LIMIT $4`,
    [call.kind, call.resolved, call.after, call.limit],
  );
  return rows.map(manualOf);
}

export async function countOpenManual(on: Queryable): Promise<number> {
  const { rows } = await on.query<{ count: number }>(
    'SELECT count(*)::integer AS count FROM payments.manual WHERE resolved_at IS NULL',
  );
  return rows[0]?.count ?? 0;
}

/** For one person at a time, until the transaction ends. */
export async function lockManual(on: Transaction, manualId: string): Promise<ManualItem | null> {
  const { rows } = await on.query<ManualRow>('SELECT * FROM payments.manual WHERE manual_id = $1 FOR UPDATE', [
    manualId,
  ]);
  return rows[0] === undefined ? null : manualOf(rows[0]);
}

/** Null: there is none, or it was resolved before. */
export async function resolveManual(
  on: Queryable,
  call: {
    readonly manualId: string;
    readonly by: string;
    readonly resolution: string;
    readonly note: string;
  },
): Promise<ManualItem | null> {
  const { rows } = await on.query<ManualRow>(
    `UPDATE payments.manual SET resolved_at = urr.now(), resolved_by = $2, resolution = $3, note = $4
     WHERE manual_id = $1 AND resolved_at IS NULL RETURNING *`,
    [call.manualId, call.by, call.resolution, call.note],
  );
  return rows[0] === undefined ? null : manualOf(rows[0]);
}

function manualOf(row: ManualRow): ManualItem {
  return {
    id: row.manual_id,
    kind: row.kind,
    orderId: row.order_id,
    paymentId: row.payment_id,
    refundId: row.refund_id,
    provider: row.provider,
    paymentKey: row.payment_key,
    amountKrw: row.amount_krw,
    detail: row.detail,
    openedAt: row.opened_at.toISOString(),
    resolvedAt: row.resolved_at?.toISOString() ?? null,
    resolution: row.resolution,
  };
}
