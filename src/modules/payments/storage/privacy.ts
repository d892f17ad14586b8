import { forgetAnswersTo } from '#platform/idempotency.ts';
import { auditSection, type ExportedUser, exportSections } from '#platform/personal-data.ts';
import type { Database, Queryable } from '#platform/postgres/database.ts';

const orders = `SELECT jsonb_build_object('orderId', o.order_id, 'orderName', o.order_name, 'paymentType', o.payment_type,
    'amountKrw', o.amount_krw, 'method', o.method, 'provider', o.provider, 'refundAccount', o.refund_account, 'createdAt', o.created_at,
    'payments', (SELECT coalesce(jsonb_agg(jsonb_build_object('paymentKey', p.payment_key, 'status', p.status, 'capturedKrw', p.captured_krw,
      'refundedKrw', p.refunded_krw, 'declineReason', p.decline_reason, 'virtualAccount', p.account, 'createdAt', p.created_at,
      'refunds', (SELECT coalesce(jsonb_agg(jsonb_build_object('amountKrw', f.amount_krw, 'status', f.status, 'reason', f.reason,
        'requestedAt', f.requested_at, 'doneAt', f.done_at) ORDER BY f.requested_at), '[]')
        FROM payments.refunds AS f WHERE f.payment_id = p.payment_id)) ORDER BY p.created_at), '[]')
      FROM payments.payments AS p WHERE p.order_id = o.order_id)) AS item
  FROM payments.orders AS o WHERE o.user_id = $1 ORDER BY o.created_at DESC LIMIT $2`;

export function exportedPayments(on: Queryable, userId: string): Promise<ExportedUser> {
  return exportSections(on, { userId, queries: { orders, audit: auditSection('payments') } });
}

/** Money may still come from this user, or has to go back: what is needed for it cannot be forgotten yet. */
export async function isMoneyUnderWay(on: Queryable, userId: string): Promise<boolean> {
  const { rows } = await on.query<{ busy: boolean }>(
    `SELECT EXISTS (SELECT FROM payments.payments AS p JOIN payments.orders AS o USING (order_id)
       WHERE o.user_id = $1 AND (p.status IN ('created', 'capturing', 'unknown', 'waiting_for_deposit')
         -- Whether there is anything to give for it has not been said; a reversed account that is still open may get another deposit.
         OR (p.captured_krw > p.refunded_krw AND NOT p.is_settled) OR (p.status = 'reversed' AND p.next_check_at IS NOT NULL)
         OR EXISTS (SELECT FROM payments.refunds AS f WHERE f.payment_id = p.payment_id AND f.status <> 'done'))) AS busy`,
    [userId],
  );
  return rows[0]?.busy ?? false;
}

export function eraseBuyer(database: Database, userId: string): Promise<void> {
  return database.transaction(async (tx) => {
    await tx.query('UPDATE payments.orders SET refund_account = NULL WHERE user_id = $1', [userId]);
    await forgetAnswersTo(tx, userId);
  });
}
