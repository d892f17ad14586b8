import type { Queryable } from '#platform/postgres/database.ts';

/**
 * Orders of which the sandbox keeps another amount than payments believes, or has given back another one by refunds. A deposit that the bank
 * took back before anybody looked was never seen here, so what came in and what the bank took are compared by their difference.
 */
export async function ordersThatDiffer(database: Queryable): Promise<unknown[]> {
  const { rows } = await database.query(
    `SELECT * FROM (
       SELECT p.order_id, sum(CASE m.kind WHEN 'captured' THEN m.amount_krw ELSE -m.amount_krw END) AS kept,
         sum(m.amount_krw) FILTER (WHERE m.kind = 'refunded') AS given
       FROM payments.sandbox_payments AS p JOIN payments.sandbox_movements AS m USING (payment_key)
       WHERE m.at <= (SELECT urr.now()) GROUP BY p.order_id
     ) AS theirs FULL JOIN (
       SELECT order_id, sum(captured_krw - refunded_krw) AS believed, sum(f.refunded) AS refunded
       FROM payments.payments AS p LEFT JOIN LATERAL (
         SELECT sum(one.amount_krw) AS refunded FROM payments.refunds AS one
         WHERE one.payment_id = p.payment_id AND one.status = 'done') AS f ON true
       WHERE provider = 'sandbox' GROUP BY order_id
     ) AS ours USING (order_id)
     WHERE (coalesce(kept, 0), coalesce(given, 0)) <> (coalesce(believed, 0), coalesce(refunded, 0))`,
  );
  return rows;
}
