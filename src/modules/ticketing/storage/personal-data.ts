import { forgetAnswersTo } from '#platform/idempotency.ts';
import { auditSection, type ExportedUser, exportSections } from '#platform/personal-data.ts';
import type { Database, Queryable } from '#platform/postgres/database.ts';

const title = `(SELECT e.facts->>'title' FROM ticketing.events e WHERE e.event_id = one.event_id)`;

const queries = {
  reservations: `SELECT jsonb_build_object('id', one.id, 'number', one.number, 'eventId', one.event_id, 'title', ${title}, 'status', one.status,
      'paymentStatus', one.payment_status, 'lines', one.lines, 'feeKrw', one.fee_krw, 'totalKrw', one.total_krw, 'paidKrw', one.paid_krw,
      'refundedKrw', one.refunded_krw, 'orderId', one.order_id, 'cancelReason', one.cancel_reason, 'createdAt', one.created_at,
      'confirmedAt', one.confirmed_at) AS item
    FROM ticketing.reservations one WHERE one.user_id = $1 ORDER BY one.id DESC LIMIT $2`,
  tickets: `SELECT jsonb_build_object('id', one.id, 'reservationId', one.reservation_id, 'eventId', one.event_id, 'title', ${title},
      'seatId', one.seat_id, 'grade', one.grade, 'areaId', one.area_id, 'priceKrw', one.price_krw, 'feeKrw', one.fee_krw,
      'state', one.state, 'issuedAt', one.issued_at, 'checkedInAt', one.checked_in_at, 'gate', one.checked_in_gate,
      'voidedAt', one.voided_at, 'voidReason', one.void_reason) AS item
    FROM ticketing.tickets one WHERE one.owner_id = $1 ORDER BY one.id DESC LIMIT $2`,
  scans: `SELECT jsonb_build_object('ticketId', s.ticket_id, 'eventId', s.event_id, 'verdict', s.verdict, 'gate', s.gate,
      'scannedAt', s.scanned_at, 'receivedAt', s.received_at) AS item
    FROM ticketing.tickets t JOIN ticketing.scans s ON s.ticket_id = t.id
    WHERE t.owner_id = $1 ORDER BY s.scanned_at DESC LIMIT $2`,
  audit: auditSection('ticketing'),
};

export function exportedTickets(on: Queryable, userId: string): Promise<ExportedUser> {
  return exportSections(on, { userId, queries });
}

export interface Standing {
  /** Seats or places are held, and may still be paid for. */
  readonly has_holds: boolean;
  /** Being paid for, or money is owed back. */
  readonly has_money_under_way: boolean;
  readonly has_tickets_to_come: boolean;
}

/** A show is over a day after its beginning: until then its ticket may be asked for. */
export async function standingOf(on: Queryable, userId: string): Promise<Standing> {
  const { rows } = await on.query<Standing>(
    `SELECT
       EXISTS (SELECT FROM ticketing.reservations r
         WHERE r.user_id = $1 AND r.status = 'pending' AND r.expires_at > urr.now()) AS has_holds,
       EXISTS (SELECT FROM ticketing.reservations r
         WHERE r.user_id = $1 AND (r.status IN ('paying', 'waiting_for_deposit') OR r.payment_status = 'refund_requested')) AS has_money_under_way,
       EXISTS (SELECT FROM ticketing.tickets t JOIN ticketing.events e ON e.event_id = t.event_id
         WHERE t.owner_id = $1 AND t.state IN ('issued', 'listed') AND e.starts_at > urr.now() - interval '1 day') AS has_tickets_to_come`,
    [userId],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('a query without a table has answered nothing');
  return row;
}

/** Nothing more is sold to this user. May be repeated. */
export function bar(database: Database, userId: string): Promise<void> {
  return database.transaction(async (tx) => {
    await tx.query('INSERT INTO ticketing.erased_users (user_id) VALUES ($1) ON CONFLICT DO NOTHING', [userId]);
    await forgetAnswersTo(tx, userId);
  });
}

export async function isBarred(on: Queryable, userId: string): Promise<boolean> {
  const { rowCount } = await on.query('SELECT FROM ticketing.erased_users WHERE user_id = $1', [userId]);
  return rowCount > 0;
}
