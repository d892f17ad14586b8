import type { Queryable } from '#platform/postgres/database.ts';

/** What an order's money was given for, as ticketing knows it. */
export interface TicketMoney {
  readonly orderId: string;
  /** `<reservation> of user <user>`, of each reservation that its tickets were bought with. */
  readonly subjects: readonly string[];
  /** Face value and fee of the live tickets that it paid for. */
  readonly liveKrw: number;
  /** Of its void tickets, what does not go back by the terms of refund. */
  readonly keptKrw: number;
  readonly isUnderWay: boolean;
}

/** Of these orders, or of a page of all, in the order of their ids. */
export async function ticketMoney(
  on: Queryable,
  {
    orderIds = null,
    after = null,
    limit,
  }: { orderIds?: readonly string[] | null; after?: string | null; limit: number },
): Promise<TicketMoney[]> {
  const { rows } = await on.query<TicketMoney>(
    `SELECT t.order_id AS "orderId", array_agg(DISTINCT r.id || ' of user ' || r.user_id) AS subjects, coalesce(sum(t.price_krw + t.fee_krw) FILTER (WHERE t.state <> 'void'), 0)::integer AS "liveKrw",
       -- From before there were terms: everything went back.
       coalesce(sum(t.price_krw + t.fee_krw - t.refund_krw) FILTER (WHERE t.state = 'void'), 0)::integer AS "keptKrw", bool_or(r.payment_status = 'refund_requested') AS "isUnderWay"
     FROM ticketing.tickets AS t JOIN ticketing.reservations AS r ON r.id = t.reservation_id
     WHERE t.order_id IS NOT NULL AND ($1::text[] IS NULL OR t.order_id = ANY ($1)) AND ($2::text IS NULL OR t.order_id > $2)
     GROUP BY t.order_id ORDER BY t.order_id LIMIT $3`,
    [orderIds, after, limit],
  );
  return rows;
}
