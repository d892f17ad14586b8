import { isoTime } from '#platform/clock.ts';
import { decodeCursor, encodeCursor, type Page, pageOf } from '#platform/paging.ts';
import type { Queryable } from '#platform/postgres/database.ts';
import type { TicketState } from '../domain/ticket.ts';
import type { Ticket } from '../schemas.ts';
import { reservedSeat } from './reservation-row.ts';

interface Row {
  readonly id: string;
  readonly reservation_id: string;
  readonly reservation_number: string;
  readonly event_id: string;
  readonly title: string;
  readonly title_en: string | null;
  readonly venue: string;
  readonly venue_en: string | null;
  readonly starts_at: Date;
  readonly doors_at: Date | null;
  readonly is_cancelled: boolean;
  readonly seat_id: string | null;
  readonly grade: string | null;
  readonly ticket_type_id: string | null;
  readonly area_id: string | null;
  readonly area_name: string | null;
  readonly area_name_en: string | null;
  readonly price_krw: number;
  readonly fee_krw: number;
  readonly state: TicketState;
  readonly version: number;
  readonly issued_at: Date;
  readonly checked_in_at: Date | null;
  readonly void_reason: string | null;
  readonly refund_krw: number | null;
}

const select = `
  SELECT t.id, t.reservation_id, r.number AS reservation_number, t.event_id,
         e.facts ->> 'title' AS title, e.facts ->> 'titleEn' AS title_en,
         e.facts #>> '{venue,name}' AS venue, e.facts #>> '{venue,nameEn}' AS venue_en,
         e.starts_at, e.doors_at, e.cancelled_at IS NOT NULL AS is_cancelled,
         t.seat_id, t.grade, t.ticket_type_id, t.area_id, a.name AS area_name, a.name_en AS area_name_en,
         t.price_krw, t.fee_krw, t.state, t.version, t.issued_at, t.checked_in_at, t.void_reason,
         -- Without terms of refund everything went back.
         CASE WHEN t.state = 'void' THEN coalesce(t.refund_krw, t.price_krw + t.fee_krw) END AS refund_krw
    FROM ticketing.tickets t
    JOIN ticketing.events e ON e.event_id = t.event_id
    JOIN ticketing.reservations r ON r.id = t.reservation_id
    LEFT JOIN ticketing.ticket_types a ON a.ticket_type_id = t.ticket_type_id`;

/** An owner's tickets, the newest first. Ids grow with time, so they are the order as well. */
export async function listTickets(
  on: Queryable,
  query: { ownerId: string; reservationId?: string; cursor?: string; limit: number },
): Promise<Page<Ticket>> {
  const after = query.cursor === undefined ? null : decodeCursor(query.cursor, ['id'])[0];
  const { rows } = await on.query<Row>(
    `${select} WHERE t.owner_id = $1 AND ($2::uuid IS NULL OR t.reservation_id = $2) AND ($3::uuid IS NULL OR t.id < $3)
      ORDER BY t.id DESC LIMIT $4`,
    [query.ownerId, query.reservationId ?? null, after, query.limit + 1],
  );
  const page = pageOf(rows, query.limit, (last) => encodeCursor([last.id]));
  return { ...page, items: page.items.map(ticketOf) };
}

/** Null also for a ticket of somebody else: who asks cannot tell. */
export async function ownTicket(
  on: Queryable,
  { ticketId, ownerId }: { ticketId: string; ownerId: string },
): Promise<Ticket | null> {
  const { rows } = await on.query<Row>(`${select} WHERE t.id = $1 AND t.owner_id = $2`, [ticketId, ownerId]);
  return rows[0] === undefined ? null : ticketOf(rows[0]);
}

function ticketOf(row: Row): Ticket {
  return {
    id: row.id,
    reservationId: row.reservation_id,
    reservationNumber: row.reservation_number,
    eventId: row.event_id,
    event: {
      title: row.title,
      titleEn: row.title_en,
      venue: row.venue,
      venueEn: row.venue_en,
      startsAt: isoTime(row.starts_at.getTime()),
      doorsAt: timeOf(row.doors_at),
      cancelled: row.is_cancelled,
    },
    seat: seatOf(row),
    area: areaOf(row),
    priceKrw: row.price_krw,
    feeKrw: row.fee_krw,
    state: row.state,
    version: row.version,
    issuedAt: isoTime(row.issued_at.getTime()),
    checkedInAt: timeOf(row.checked_in_at),
    voidReason: row.void_reason,
    refundKrw: row.refund_krw,
  };
}

function seatOf({ seat_id, grade, price_krw }: Row): Ticket['seat'] {
  return seat_id === null || grade === null ? null : reservedSeat({ seatId: seat_id, grade, priceKrw: price_krw });
}

function areaOf(row: Row): Ticket['area'] {
  if (row.ticket_type_id === null || row.area_id === null) return null;
  // A type that is no longer offered has no name of its own any more; what was bought keeps its area.
  const name = row.area_name ?? row.area_id;
  return { ticketTypeId: row.ticket_type_id, areaId: row.area_id, name, nameEn: row.area_name_en };
}

function timeOf(at: Date | null): string | null {
  return at === null ? null : isoTime(at.getTime());
}
