import type { LiveReservation } from '../domain/live-reservations.ts';
import type { ReservationLines } from '../domain/reservation.ts';
import type { Reservation } from '../schemas.ts';
import { type ReservationRow, reservationOf } from './reservation-row.ts';

/** Reservations that hold something, as PostgreSQL writes a list. */
export const liveStatuses = '{pending,paying,waiting_for_deposit}';

/** `lines` stay text until somebody looks: a rush makes thousands a second, of which few are ever asked for here. */
export const liveReservationColumns = `r.id AS r_id, r.number AS r_number, r.event_id AS r_event_id, r.user_id AS r_user_id,
    r.status AS r_status, r.payment_status AS r_payment_status, r.lines::text AS r_lines, r.lines -> 'items' AS r_items,
    r.fee_krw AS r_fee_krw, r.total_krw AS r_total_krw, r.fence AS r_fence, r.created_at AS r_created_at,
    r.expires_at AS r_expires_at, r.version AS r_version`;

export interface LiveReservationRow {
  readonly r_id: string;
  readonly r_number: string;
  readonly r_event_id: string;
  readonly r_user_id: string;
  readonly r_status: 'pending' | 'paying' | 'waiting_for_deposit';
  readonly r_payment_status: ReservationRow['payment_status'];
  readonly r_lines: string;
  readonly r_items: readonly { readonly ticketTypeId: string; readonly quantity: number }[];
  readonly r_fee_krw: number;
  readonly r_total_krw: number;
  readonly r_fence: number;
  readonly r_created_at: Date;
  readonly r_expires_at: Date;
  readonly r_version: number;
}

export interface HeldReservation extends LiveReservation {
  /** What it was granted, with the fence of each seat. */
  lines(): ReservationLines;
  /** As its buyer sees it while it holds something. */
  shown(): Reservation;
  /** The same as JSON. */
  json(): string;
}

export function heldReservationOf(row: LiveReservationRow): HeldReservation {
  let lines: ReservationLines | undefined;
  let shown: Reservation | undefined;
  let json: string | undefined;
  const held: HeldReservation = {
    id: row.r_id,
    userId: row.r_user_id,
    version: row.r_version,
    isPending: row.r_status === 'pending',
    expiresAtMs: row.r_expires_at.getTime(),
    items: row.r_items,
    lines() {
      // Written by ticketing alone, from the same type.
      lines ??= JSON.parse(row.r_lines) as ReservationLines;
      return lines;
    },
    shown() {
      shown ??= reservationOf(reservationRow(row, held.lines()), Number.NEGATIVE_INFINITY);
      return shown;
    },
    json() {
      json ??= JSON.stringify(held.shown());
      return json;
    },
  };
  return held;
}

function reservationRow(row: LiveReservationRow, lines: ReservationLines): Parameters<typeof reservationOf>[0] {
  return {
    id: row.r_id,
    number: row.r_number,
    event_id: row.r_event_id,
    status: row.r_status,
    payment_status: row.r_payment_status,
    lines,
    fee_krw: row.r_fee_krw,
    total_krw: row.r_total_krw,
    fence: row.r_fence,
    created_at: row.r_created_at,
    expires_at: row.r_expires_at,
  };
}
