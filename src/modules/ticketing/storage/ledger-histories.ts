import type { ReservationHistory, SeatHistory, TicketHistory } from '../domain/ledger-model.ts';
import type { PlacesRow, PlacesStep } from '../domain/replay-places.ts';
import type { LedgerSnapshot } from './ledger-snapshot.ts';

/**
 * The ledger of one event sorted by what it is about, each subject beside its row as it stands. PostgreSQL sorts, on disk where
 * memory does not suffice; here only a page is in memory.
 *
 * Seats begin anew when they are built again, so a step of a seat is also ordered by how many times they were built before it.
 * That one order is by id: a build has every seat locked, so what was written about seats before it has a lower id.
 */
const steps = (event: string) => `(SELECT l.*, count(*) FILTER (WHERE act = 'built') OVER (ORDER BY id) AS build
  FROM ticketing.ledger l WHERE event_id = ${event})`;
const micros = (time: string) => `(extract(epoch FROM ${time}) * 1000000)::bigint`;
const step = `'id', l.id, 'act', l.act, 'at', ${micros('l.at')}`;

export function readSeats(snapshot: LedgerSnapshot, eventId: string): AsyncIterable<SeatHistory[]> {
  const event = snapshot.literal(eventId);
  return snapshot.pages<SeatHistory>(`
    WITH history AS (
      SELECT seat.no, json_agg(json_build_object(${step}, 'build', l.build, 'fence', seat.fence, 'step', seat.step,
               'state', l.seat_state, 'heldUntil', ${micros('l.held_until')}, 'reservationId', l.reservation_id)
               ORDER BY l.build, seat.fence, seat.step, l.id) AS steps
      FROM ${steps(event)} l, unnest(l.seat_nos, l.seat_fences, l.seat_steps) AS seat (no, fence, step)
      GROUP BY seat.no),
    live AS (
      SELECT seat_no, json_agg(reservation_id ORDER BY id) AS reservations FROM ticketing.tickets
      WHERE event_id = ${event} AND seat_no IS NOT NULL AND state <> 'void' GROUP BY seat_no),
    standing AS (
      SELECT s.seat_no, json_build_object('state', s.state, 'fence', s.fence, 'step', s.step,
               'heldUntil', ${micros('s.held_until')}, 'reservationId', s.reservation_id, 'userId', s.user_id,
               'reservation', CASE WHEN r.id IS NOT NULL THEN
                 json_build_object('status', r.status, 'expiresAt', ${micros('r.expires_at')}, 'userId', r.user_id) END,
               'ticketsOf', coalesce(live.reservations, '[]')) AS row
      FROM ticketing.seats s
      LEFT JOIN ticketing.reservations r ON r.id = s.reservation_id AND r.event_id = s.event_id
      LEFT JOIN live USING (seat_no)
      WHERE s.event_id = ${event})
    SELECT coalesce(standing.seat_no, history.no) AS "seatNo", coalesce(history.steps, '[]') AS steps, standing.row
    FROM history FULL JOIN standing ON standing.seat_no = history.no ORDER BY 1`);
}

export function readReservations(snapshot: LedgerSnapshot, eventId: string): AsyncIterable<ReservationHistory[]> {
  const event = snapshot.literal(eventId);
  return snapshot.pages<ReservationHistory>(`
    WITH history AS (
      SELECT l.reservation_id, json_agg(json_build_object(${step}, 'version', l.reservation_version,
               'status', l.reservation_status, 'heldUntil', ${micros('l.held_until')}, 'userId', l.user_id,
               'seatNos', l.seat_nos, 'seatFences', l.seat_fences, 'seatState', l.seat_state,
               'ticketTypeIds', l.ticket_type_ids, 'leftChanges', l.left_changes,
               'ticketIds', l.ticket_ids, 'ticketState', l.ticket_state, 'cause', coalesce(l.cause, '{}'))
               ORDER BY l.reservation_version, l.id) AS steps
      FROM ticketing.ledger l WHERE l.event_id = ${event} AND l.reservation_version IS NOT NULL GROUP BY 1),
    live AS (
      SELECT reservation_id, count(*) FILTER (WHERE seat_no IS NOT NULL) AS seats,
             json_agg(ticket_type_id) FILTER (WHERE ticket_type_id IS NOT NULL) AS types
      FROM ticketing.tickets WHERE event_id = ${event} AND state <> 'void' GROUP BY 1),
    void AS (
      SELECT reservation_id, sum(refund_krw) AS refunds FROM ticketing.tickets
      WHERE event_id = ${event} AND state = 'void' GROUP BY 1),
    cancelled AS (
      SELECT c.reservation_id, sum(c.refund_krw) AS refunds FROM ticketing.cancellations c
      JOIN ticketing.reservations r ON r.id = c.reservation_id AND r.event_id = ${event} GROUP BY 1),
    own AS (
      SELECT reservation_id, count(*) AS seats FROM ticketing.seats
      WHERE event_id = ${event} AND reservation_id IS NOT NULL GROUP BY 1),
    standing AS (
      SELECT r.id, json_build_object('status', r.status, 'paymentStatus', r.payment_status, 'version', r.version,
               'userId', r.user_id, 'expiresAt', ${micros('r.expires_at')}, 'lines', r.lines,
               'linesFingerprint', ticketing.lines_fingerprint(r.lines), 'seatNos', r.seat_nos, 'fence', r.fence,
               'feeKrw', r.fee_krw, 'totalKrw', r.total_krw, 'attemptId', r.attempt_id, 'attempts', r.attempts,
               'orderId', r.order_id, 'paidKrw', r.paid_krw, 'refundedKrw', r.refunded_krw,
               'refundRequested', r.refund_requested, 'ticketCount', r.ticket_count, 'ownSeats', coalesce(own.seats, 0),
               'liveSeatTickets', coalesce(live.seats, 0), 'liveTicketTypes', coalesce(live.types, '[]'),
               'ticketRefundsKrw', coalesce(void.refunds, 0), 'cancellationRefundsKrw', coalesce(cancelled.refunds, 0)) AS row
      FROM ticketing.reservations r
      LEFT JOIN void ON void.reservation_id = r.id
      LEFT JOIN cancelled ON cancelled.reservation_id = r.id
      LEFT JOIN live ON live.reservation_id = r.id
      LEFT JOIN own ON own.reservation_id = r.id
      WHERE r.event_id = ${event})
    SELECT coalesce(standing.id, history.reservation_id) AS "reservationId", coalesce(history.steps, '[]') AS steps,
           standing.row
    FROM history FULL JOIN standing ON standing.id = history.reservation_id ORDER BY 1`);
}

export function readTickets(snapshot: LedgerSnapshot, eventId: string): AsyncIterable<TicketHistory[]> {
  const event = snapshot.literal(eventId);
  return snapshot.pages<TicketHistory>(`
    WITH history AS (
      SELECT ticket.id, json_agg(json_build_object(${step}, 'version', ticket.version, 'state', l.ticket_state,
               'reservationId', l.reservation_id, 'userId', l.user_id, 'orderId', l.cause ->> 'orderId',
               'inFull', l.cause -> 'inFull', 'showsAt', l.cause -> 'showsAt')
               ORDER BY ticket.version, array_position('{issued,listed,checked_in,void}', l.ticket_state), l.id) AS steps
      FROM ticketing.ledger l, unnest(l.ticket_ids, l.ticket_versions) AS ticket (id, version)
      WHERE l.event_id = ${event} GROUP BY ticket.id),
    standing AS (
      SELECT t.id, json_build_object('state', t.state, 'version', t.version, 'reservationId', t.reservation_id,
               'ownerId', t.owner_id, 'seatNo', t.seat_no, 'seatId', t.seat_id, 'grade', t.grade,
               'ticketTypeId', t.ticket_type_id, 'areaId', t.area_id, 'priceKrw', t.price_krw, 'feeKrw', t.fee_krw,
               'orderId', t.order_id, 'termsId', t.refund_terms, 'issuedAt', ${micros('t.issued_at')},
               'showsAt', ${micros('t.shows_at')}, 'refundKrw', t.refund_krw,
               'reservation', CASE WHEN r.id IS NOT NULL THEN
                 json_build_object('status', r.status, 'lines', r.lines, 'isOfEvent', r.event_id = t.event_id) END,
               'seat', CASE WHEN s.seat_no IS NOT NULL THEN
                 json_build_object('state', s.state, 'reservationId', s.reservation_id) END) AS row
      FROM ticketing.tickets t
      LEFT JOIN ticketing.reservations r ON r.id = t.reservation_id
      LEFT JOIN ticketing.seats s ON s.event_id = t.event_id AND s.seat_no = t.seat_no
      WHERE t.event_id = ${event})
    SELECT coalesce(standing.id, history.id) AS "ticketId", coalesce(history.steps, '[]') AS steps, standing.row
    FROM history FULL JOIN standing USING (id) ORDER BY 1`);
}

/** By build and ticket type, each transaction once, in the order of its last row. */
export function readPlaces(
  snapshot: LedgerSnapshot,
  eventId: string,
): AsyncIterable<(PlacesStep & { readonly build: number })[]> {
  const event = snapshot.literal(eventId);
  return snapshot.pages(`
    SELECT l.build, place.type AS "ticketTypeId", max(l.id) AS id, sum(place.change)::integer AS change
    FROM ${steps(event)} l, unnest(l.ticket_type_ids, l.left_changes) AS place (type, change)
    GROUP BY l.build, place.type, l.xid ORDER BY l.build, place.type, max(l.id)`);
}

export async function readPlacesRows(snapshot: LedgerSnapshot, eventId: string): Promise<PlacesRow[]> {
  return snapshot.rows<PlacesRow>(
    `SELECT t.ticket_type_id AS "ticketTypeId", t.capacity,
            (SELECT coalesce(sum(places_left), 0) FROM ticketing.shards s WHERE s.ticket_type_id = t.ticket_type_id)::integer AS left,
            (SELECT coalesce(sum((item ->> 'quantity')::integer), 0)
             FROM ticketing.reservations r, jsonb_array_elements(r.lines -> 'items') AS item
             WHERE r.event_id = t.event_id AND r.status IN ('pending', 'paying', 'waiting_for_deposit')
               AND item ->> 'ticketTypeId' = t.ticket_type_id::text)::integer AS held,
            (SELECT count(*) FROM ticketing.tickets k
             WHERE k.event_id = t.event_id AND k.ticket_type_id = t.ticket_type_id AND k.state <> 'void')::integer AS sold
     FROM ticketing.ticket_types t WHERE t.event_id = $1 ORDER BY 1`,
    [eventId],
  );
}

export interface BuyerCount {
  readonly userId: string;
  /** Null: no such row. */
  readonly live: number | null;
  /** What reservations and tickets of the user come to. */
  readonly counted: number;
}

/** What each buyer's row counts, beside what it should. */
export function readBuyers(snapshot: LedgerSnapshot, eventId: string): AsyncIterable<BuyerCount[]> {
  const event = snapshot.literal(eventId);
  return snapshot.pages<BuyerCount>(`
    WITH live AS (
      SELECT reservation_id, count(*) AS tickets FROM ticketing.tickets
      WHERE event_id = ${event} AND state <> 'void' GROUP BY 1),
    counted AS (
      SELECT r.user_id, sum(CASE WHEN r.status IN ('pending', 'paying', 'waiting_for_deposit') THEN r.ticket_count
                                 ELSE coalesce(live.tickets, 0) END)::integer AS count
      FROM ticketing.reservations r LEFT JOIN live ON live.reservation_id = r.id
      WHERE r.event_id = ${event} GROUP BY 1),
    buyers AS (SELECT user_id, live FROM ticketing.buyers WHERE event_id = ${event})
    SELECT coalesce(buyers.user_id, counted.user_id) AS "userId", buyers.live, coalesce(counted.count, 0) AS counted
    FROM buyers FULL JOIN counted USING (user_id) ORDER BY 1`);
}
