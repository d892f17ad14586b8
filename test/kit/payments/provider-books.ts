import type { Queryable } from '#platform/postgres/database.ts';

/** Orders of which the sandbox has taken or given back another amount than payments believes. What the bank took back counts as given back. */
export async function ordersThatDiffer(database: Queryable): Promise<unknown[]> {
  const { rows } = await database.query(
    `SELECT * FROM (
       SELECT p.order_id, sum(m.amount_krw) FILTER (WHERE m.kind = 'captured') AS taken,
         sum(m.amount_krw) FILTER (WHERE m.kind <> 'captured') AS given
       FROM payments.sandbox_payments AS p JOIN payments.sandbox_movements AS m USING (payment_key)
       WHERE m.at <= (SELECT urr.now()) GROUP BY p.order_id
     ) AS theirs FULL JOIN (
       SELECT order_id, sum(captured_krw) AS captured, sum(refunded_krw) AS refunded FROM payments.payments
       WHERE provider = 'sandbox' GROUP BY order_id
     ) AS ours USING (order_id)
     WHERE (coalesce(taken, 0), coalesce(given, 0)) <> (coalesce(captured, 0), coalesce(refunded, 0))`,
  );
  return rows;
}
