import type { Queryable } from '#platform/postgres/database.ts';
import type { PaymentMethod, PaymentType } from '../domain/payment.ts';
import type { RefundAccount } from '../ports.ts';

export interface OrderRecord {
  readonly orderId: string;
  readonly paymentType: PaymentType;
  readonly referenceId: string;
  readonly eventId: string | null;
  readonly userId: string;
  readonly orderName: string;
  readonly amountKrw: number;
  readonly provider: string;
  readonly method: PaymentMethod;
  readonly refundAccount: RefundAccount | null;
  readonly expiresAtMs: number;
  readonly closesAtMs: number;
}

interface OrderRow {
  readonly order_id: string;
  readonly payment_type: PaymentType;
  readonly reference_id: string;
  readonly event_id: string | null;
  readonly user_id: string;
  readonly order_name: string;
  readonly amount_krw: number;
  readonly provider: string;
  readonly method: PaymentMethod;
  readonly refund_account: RefundAccount | null;
  readonly expires_at: Date;
  readonly closes_at: Date;
}

/** One order for each thing, method and provider: preparing again finds it, with the hold's new end and the account given last. */
export async function saveOrder(on: Queryable, order: OrderRecord): Promise<OrderRecord> {
  const { rows } = await on.query<OrderRow>(
    `INSERT INTO payments.orders AS known (order_id, payment_type, reference_id, event_id, user_id, order_name, amount_krw, provider,
       method, refund_account, expires_at, closes_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
     ON CONFLICT (payment_type, reference_id, method, provider) DO UPDATE SET expires_at = excluded.expires_at,
       refund_account = coalesce(excluded.refund_account, known.refund_account)
     RETURNING *`,
    [
      ...[order.orderId, order.paymentType, order.referenceId, order.eventId, order.userId, order.orderName],
      ...[order.amountKrw, order.provider, order.method],
      order.refundAccount === null ? null : JSON.stringify(order.refundAccount),
      ...[new Date(order.expiresAtMs), new Date(order.closesAtMs)],
    ],
    { prepare: true },
  );
  const [row] = rows;
  if (row === undefined) throw new Error('an order was neither made nor found');
  return orderOf(row);
}

export async function findOrder(on: Queryable, orderId: string): Promise<OrderRecord | null> {
  const { rows } = await on.query<OrderRow>('SELECT * FROM payments.orders WHERE order_id = $1', [orderId], {
    prepare: true,
  });
  return rows[0] === undefined ? null : orderOf(rows[0]);
}

export async function findOrders(on: Queryable, orderIds: readonly string[]): Promise<OrderRecord[]> {
  const { rows } = await on.query<OrderRow>('SELECT * FROM payments.orders WHERE order_id = ANY ($1)', [orderIds]);
  return rows.map(orderOf);
}

/** Given with a refund: where the money of a virtual account goes. */
export async function setRefundAccount(on: Queryable, orderId: string, account: RefundAccount | null): Promise<void> {
  await on.query('UPDATE payments.orders SET refund_account = $2 WHERE order_id = $1', [
    orderId,
    account === null ? null : JSON.stringify(account),
  ]);
}

function orderOf(row: OrderRow): OrderRecord {
  return {
    orderId: row.order_id,
    paymentType: row.payment_type,
    referenceId: row.reference_id,
    eventId: row.event_id,
    userId: row.user_id,
    orderName: row.order_name,
    amountKrw: row.amount_krw,
    provider: row.provider,
    method: row.method,
    refundAccount: row.refund_account,
    expiresAtMs: row.expires_at.getTime(),
    closesAtMs: row.closes_at.getTime(),
  };
}
