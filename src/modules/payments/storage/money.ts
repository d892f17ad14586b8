import type { Queryable } from '#platform/postgres/database.ts';
import type { OrderMoney } from '../domain/money.ts';
import type { PaymentHistory } from '../domain/replay-payment.ts';

interface Page {
  /** Where the page before ended. */
  readonly after: string | null;
  readonly limit: number;
  readonly eventId: string | null;
}

/** Payments with their whole history, in the order of their ids. */
export async function readHistories(on: Queryable, { after, limit, eventId }: Page): Promise<PaymentHistory[]> {
  const { rows } = await on.query<PaymentHistory>(
    `SELECT p.payment_id AS "paymentId", p.status, p.version, p.amount_krw AS "amountKrw", o.amount_krw AS "orderKrw",
       p.captured_krw AS "capturedKrw", p.refunded_krw AS "refundedKrw", p.is_settled AS "isSettled", p.is_orphan AS "isOrphan",
       (SELECT coalesce(json_agg(json_build_object('id', l.id, 'version', l.version, 'status', l.status, 'capturedKrw', l.captured_krw,
          'refundedKrw', l.refunded_krw, 'refundId', l.refund_id, 'refundStatus', l.refund_status, 'refundKrw', l.refund_krw,
          'kind', l.cause->>'kind', 'askedKrw', (l.cause->>'askedKrw')::integer)
          ORDER BY l.id), '[]') FROM payments.ledger AS l WHERE l.payment_id = p.payment_id) AS steps,
       (SELECT coalesce(json_agg(json_build_object('refundId', f.refund_id, 'kind', f.kind, 'status', f.status, 'amountKrw', f.amount_krw,
          'askedKrw', f.asked_krw)), '[]') FROM payments.refunds AS f WHERE f.payment_id = p.payment_id) AS refunds
     FROM payments.payments AS p JOIN payments.orders AS o USING (order_id)
     WHERE ($1::uuid IS NULL OR p.payment_id > $1) AND ($3::uuid IS NULL OR o.event_id = $3)
     ORDER BY p.payment_id LIMIT $2`,
    [after, limit, eventId],
  );
  return rows;
}

/** A payment of which only the ledger is left. */
export async function lostPayment(on: Queryable): Promise<string | null> {
  const { rows } = await on.query<{ id: string }>(
    `SELECT l.payment_id AS id FROM payments.ledger AS l
     WHERE NOT EXISTS (SELECT FROM payments.payments AS p WHERE p.payment_id = l.payment_id) LIMIT 1`,
  );
  return rows[0]?.id ?? null;
}

/** The money of orders, in the order of their ids; or of these orders. */
export async function readOrderMoney(
  on: Queryable,
  { after, limit, eventId, orderIds = null }: Page & { readonly orderIds?: readonly string[] | null },
): Promise<OrderMoney[]> {
  const { rows } = await on.query<OrderMoney>(
    `SELECT o.order_id AS "orderId", CASE o.payment_type WHEN 'reservation' THEN o.reference_id || ' of user ' || o.user_id END AS "subject",
       coalesce(sum(p.captured_krw) FILTER (WHERE NOT p.is_orphan), 0)::integer AS "capturedKrw",
       coalesce(sum(p.refunded_krw) FILTER (WHERE NOT p.is_orphan), 0)::integer AS "refundedKrw",
       coalesce(sum(f.pending) FILTER (WHERE NOT p.is_orphan AND p.status <> 'reversed'), 0)::integer AS "pendingKrw",
       (coalesce(sum(f.goodwill) FILTER (WHERE NOT p.is_orphan OR f.is_again), 0) + coalesce((SELECT sum(m.amount_krw) FROM payments.manual AS m WHERE m.order_id = o.order_id
          AND m.resolution = 'accept' AND m.kind IN ('tickets_in_use', 'reversed_in_use', 'refunded_elsewhere')), 0))::integer AS "goodwillKrw",
       coalesce(sum(f.accepted) FILTER (WHERE NOT p.is_orphan), 0)::integer AS "acceptedKrw",
       coalesce(sum(f.cut), 0)::integer AS "cutKrw",
       coalesce(sum(p.captured_krw - p.refunded_krw - f.accepted - CASE WHEN p.status = 'reversed' THEN 0 ELSE f.pending END)
         FILTER (WHERE p.is_orphan), 0)::integer AS "orphanKrw",
       coalesce(bool_or(p.status IN ('created', 'capturing', 'unknown', 'waiting_for_deposit') OR (p.captured_krw > 0 AND NOT p.is_settled)),
         false) AS "isUnderWay",
       EXISTS (SELECT FROM payments.manual AS m WHERE m.order_id = o.order_id AND m.resolved_at IS NULL) AS "isWithPerson",
       coalesce(bool_or(f.is_again OR (NOT p.is_orphan AND (p.status = 'reversed' OR f.is_found))), false) AS "isTakenBack"
     FROM payments.orders AS o LEFT JOIN payments.payments AS p USING (order_id)
     LEFT JOIN LATERAL (
       SELECT coalesce(sum(one.amount_krw) FILTER (WHERE one.status <> 'done'), 0) AS pending,
         coalesce(sum(one.amount_krw) FILTER (WHERE one.kind = 'goodwill'), 0) AS goodwill,
         coalesce(sum(one.asked_krw - one.amount_krw - one.accepted_krw) FILTER (WHERE one.kind = 'cancellation'), 0) AS cut,
         coalesce(bool_or(one.kind = 'found'), false) AS is_found,
         -- Most payments have none of it.
         CASE WHEN sum(one.accepted_krw) > 0 THEN payments.accepted_krw(p) ELSE 0 END AS accepted,
         -- Its tickets were there once: what has nothing to pay for is another deposit to its account.
         p.is_orphan AND EXISTS (SELECT FROM payments.ledger AS l WHERE l.payment_id = p.payment_id AND l.act = 'deposit_again') AS is_again
       FROM payments.refunds AS one WHERE one.payment_id = p.payment_id
     ) AS f ON true
     WHERE ($1::text IS NULL OR o.order_id > $1) AND ($3::uuid IS NULL OR o.event_id = $3) AND ($4::text[] IS NULL OR o.order_id = ANY ($4))
     GROUP BY o.order_id ORDER BY o.order_id LIMIT $2`,
    [after, limit, eventId, orderIds],
  );
  return rows;
}
