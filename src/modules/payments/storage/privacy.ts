import type { Queryable } from '#platform/postgres/database.ts';

/** Far more than anybody pays; the newest. */
const exportedMax = 5_000;

export async function exportedPayments(on: Queryable, userId: string): Promise<unknown[]> {
  const { rows } = await on.query<{ payment: unknown }>(
    `SELECT jsonb_build_object('orderId', o.order_id, 'orderName', o.order_name, 'amountKrw', p.amount_krw, 'method', p.method,
       'provider', p.provider, 'status', p.status, 'capturedKrw', p.captured_krw, 'refundedKrw', p.refunded_krw,
       'refundAccount', o.refund_account, 'createdAt', p.created_at,
       'refunds', (SELECT coalesce(jsonb_agg(jsonb_build_object('amountKrw', f.amount_krw, 'status', f.status, 'reason', f.reason,
         'requestedAt', f.requested_at, 'doneAt', f.done_at) ORDER BY f.requested_at), '[]')
         FROM payments.refunds AS f WHERE f.payment_id = p.payment_id)) AS payment
     FROM payments.payments AS p JOIN payments.orders AS o USING (order_id)
     WHERE o.user_id = $1 ORDER BY p.created_at DESC LIMIT $2`,
    [userId, exportedMax],
  );
  return rows.map(({ payment }) => payment);
}

/** Money may still come from this user, or has to go back: what is needed for it cannot be forgotten yet. */
export async function isMoneyUnderWay(on: Queryable, userId: string): Promise<boolean> {
  const { rows } = await on.query<{ busy: boolean }>(
    `SELECT EXISTS (SELECT FROM payments.payments AS p JOIN payments.orders AS o USING (order_id)
       WHERE o.user_id = $1 AND (p.status IN ('created', 'capturing', 'unknown', 'waiting_for_deposit', 'orphaned')
         OR EXISTS (SELECT FROM payments.refunds AS f WHERE f.payment_id = p.payment_id AND f.status <> 'done'))) AS busy`,
    [userId],
  );
  return rows[0]?.busy ?? false;
}

export async function eraseAccounts(on: Queryable, userId: string): Promise<void> {
  await on.query('UPDATE payments.orders SET refund_account = NULL WHERE user_id = $1', [userId]);
}
