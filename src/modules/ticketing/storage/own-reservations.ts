import { decodeCursor, encodeCursor, type Page, pageOf } from '#platform/paging.ts';
import type { Queryable } from '#platform/postgres/database.ts';
import type { OwnReservation } from '../schemas.ts';
import { type ReservationRow, reservationOf } from './reservation-row.ts';

/** The time is the database's, and of the same statement: what has lapsed there has lapsed here. */
type Row = ReservationRow & { readonly read_at: Date; readonly refund_pending_krw: number };

const select = `
  SELECT r.*, urr.now() AS read_at,
         -- Cancelled while it was being paid for: it all goes back.
         (SELECT coalesce(sum(CASE WHEN c.ticket_ids = '{}' THEN r.paid_krw - r.refunded_krw ELSE c.refund_krw END), 0)
          FROM ticketing.cancellations c WHERE c.reservation_id = r.id AND NOT c.is_refunded)::integer AS refund_pending_krw
    FROM ticketing.reservations r`;

/** A user's reservations, the newest first. Ids grow with time, so they are the order as well. */
export async function listReservations(
  on: Queryable,
  query: { userId: string; cursor?: string; limit: number },
): Promise<Page<OwnReservation>> {
  const after = query.cursor === undefined ? null : decodeCursor(query.cursor, ['id'])[0];
  const { rows } = await on.query<Row>(
    `${select} WHERE r.user_id = $1 AND ($2::uuid IS NULL OR r.id < $2) ORDER BY r.id DESC LIMIT $3`,
    [query.userId, after, query.limit + 1],
  );
  const page = pageOf(rows, query.limit, (last) => encodeCursor([last.id]));
  return { ...page, items: page.items.map(shown) };
}

/** Null also for a reservation of somebody else: who asks cannot tell. */
export async function ownReservation(
  on: Queryable,
  { reservationId, userId }: { reservationId: string; userId: string },
): Promise<OwnReservation | null> {
  const { rows } = await on.query<Row>(`${select} WHERE r.id = $1 AND r.user_id = $2`, [reservationId, userId]);
  return rows[0] === undefined ? null : shown(rows[0]);
}

function shown(row: Row): OwnReservation {
  const { refunded_krw: refundedKrw, refund_pending_krw: refundPendingKrw } = row;
  return { ...reservationOf(row, row.read_at.getTime()), refundedKrw, refundPendingKrw };
}
