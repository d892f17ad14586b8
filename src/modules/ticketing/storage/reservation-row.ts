import { assert } from '#platform/assert.ts';
import { isoTime } from '#platform/clock.ts';
import type { PaymentStatus, ReservationLines, ReservationStatus, ReservedSeatLine } from '../domain/reservation.ts';
import type { Reservation } from '../schemas.ts';

/** A row of ticketing.reservations, as `SELECT *` has it. */
export interface ReservationRow {
  readonly id: string;
  readonly number: string;
  readonly event_id: string;
  readonly user_id: string;
  readonly status: ReservationStatus;
  readonly payment_status: PaymentStatus;
  readonly lines: ReservationLines;
  readonly seat_nos: readonly number[];
  readonly ticket_count: number;
  readonly fee_krw: number;
  readonly total_krw: number;
  readonly fence: number;
  readonly slot_id: string | null;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly is_extended: boolean;
  readonly attempt_id: string | null;
  readonly attempts: number;
  readonly refund_requested: boolean;
  readonly cancel_reason: string | null;
  readonly order_id: string | null;
  readonly paid_krw: number;
  readonly refunded_krw: number;
  readonly confirmed_at: Date | null;
  readonly version: number;
}

/** The part of a row that people see. */
export type ShownReservationRow = Pick<
  ReservationRow,
  | 'id'
  | 'number'
  | 'event_id'
  | 'status'
  | 'payment_status'
  | 'lines'
  | 'fee_krw'
  | 'total_krw'
  | 'fence'
  | 'created_at'
  | 'expires_at'
>;

/** As everybody sees it. `nowMs` is the database's: a hold whose time is over is expired, tidied up or not. */
export function reservationOf(row: ShownReservationRow, nowMs: number): Reservation {
  return {
    id: row.id,
    reservationNumber: row.number,
    eventId: row.event_id,
    status: statusAt(row, nowMs),
    paymentStatus: row.payment_status,
    seats: row.lines.seats.map(reservedSeat),
    items: row.lines.items.map(({ ticketTypeId, areaId, quantity, priceKrw }) => ({
      ticketTypeId,
      areaId,
      quantity,
      priceKrw,
    })),
    feeKrw: row.fee_krw,
    totalKrw: row.total_krw,
    expiresAt: isoTime(row.expires_at.getTime()),
    fence: row.fence,
    createdAt: isoTime(row.created_at.getTime()),
  };
}

function statusAt(row: Pick<ReservationRow, 'status' | 'expires_at'>, nowMs: number): ReservationStatus {
  return row.status === 'pending' && row.expires_at.getTime() <= nowMs ? 'expired' : row.status;
}

export function reservedSeat({
  seatId,
  grade,
  priceKrw,
}: Pick<ReservedSeatLine, 'seatId' | 'grade' | 'priceKrw'>): Reservation['seats'][number] {
  // Catalog allows no hyphen within a part.
  const [section, row, label] = seatId.split('-');
  assert(section !== undefined && row !== undefined && label !== undefined, 'a seat id has three parts');
  return { seatId, section, row, label, grade, priceKrw };
}
