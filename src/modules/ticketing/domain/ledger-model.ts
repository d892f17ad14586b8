import type { PaymentStatus, ReservationLines, ReservationStatus } from './reservation.ts';
import type { SeatState } from './seat.ts';
import type { TicketState } from './ticket.ts';

/**
 * What the ledger says of one seat, one reservation, one ticket, each in its own order: a seat by (fence, step), a reservation by
 * its version, a ticket by version and state. Never by the id of a row: two transactions may commit in another order than they drew
 * their ids in. Beside it stands the row as it is now. The replays (`replay-*.ts`) say in words what does not fit, or null.
 */

export type LedgerAct =
  | 'built'
  | 'repriced'
  | 'held'
  | 'extended'
  | 'released'
  | 'expired'
  | 'pinned'
  | 'unpinned'
  | 'awaiting_deposit'
  | 'confirmed'
  | 'refund_requested'
  | 'cancelled'
  | 'refunded'
  | 'rejected'
  | 'returned'
  | 'blocked'
  | 'unblocked'
  | 'checked_in';

/** Microseconds since 1970: what PostgreSQL keeps, and two times that differ are told apart. */
export type Micros = number;

/** One row of the ledger, as every replay sees it. */
export interface LedgerStep {
  /** Of the row, for people who look for it. */
  readonly id: number;
  readonly act: LedgerAct;
  readonly at: Micros;
}

export interface SeatStep extends LedgerStep {
  /** How many times the seats had been built before. */
  readonly build: number;
  readonly fence: number;
  readonly step: number;
  readonly state: SeatState;
  readonly heldUntil: Micros | null;
  readonly reservationId: string | null;
}

export interface SeatRow {
  readonly state: SeatState;
  readonly fence: number;
  readonly step: number;
  readonly heldUntil: Micros | null;
  readonly reservationId: string | null;
  readonly userId: string | null;
  /** The reservation it names, if there is such a one. */
  readonly reservation: {
    readonly status: ReservationStatus;
    readonly expiresAt: Micros;
    readonly userId: string;
  } | null;
  /** Reservations of the live tickets for it; more than one is the very thing that must not be. */
  readonly ticketsOf: readonly string[];
}

export interface SeatHistory {
  readonly seatNo: number;
  readonly steps: readonly SeatStep[];
  readonly row: SeatRow | null;
}

export interface ReservationStep extends LedgerStep {
  readonly version: number;
  readonly status: ReservationStatus;
  readonly heldUntil: Micros | null;
  readonly userId: string | null;
  readonly seatNos: readonly number[] | null;
  readonly seatFences: readonly number[] | null;
  readonly seatState: SeatState | null;
  readonly ticketTypeIds: readonly string[] | null;
  readonly leftChanges: readonly number[] | null;
  readonly ticketIds: readonly string[] | null;
  readonly ticketState: TicketState | null;
  readonly cause: ReservationCause;
}

/** What explains a step, as far as something follows from it. Which of it is there depends on the act. */
export interface ReservationCause {
  /** Of the lines as they were granted. */
  readonly lines?: string;
  readonly attemptId?: string | null;
  readonly orderId?: string | null;
  readonly paidKrw?: number;
  /** Captured, and not wanted. */
  readonly amountKrw?: number;
  /** All that went back so far. */
  readonly refundedKrw?: number;
  readonly paymentStatus?: PaymentStatus;
  /** What goes back for the tickets of a cancellation. Missing: from before there were terms of refund. */
  readonly refundKrw?: number;
}

export interface ReservationRow {
  readonly status: ReservationStatus;
  readonly paymentStatus: PaymentStatus;
  readonly version: number;
  readonly userId: string;
  readonly expiresAt: Micros;
  readonly lines: ReservationLines;
  readonly linesFingerprint: string;
  readonly seatNos: readonly number[];
  readonly fence: number;
  readonly feeKrw: number;
  readonly totalKrw: number;
  readonly attemptId: string | null;
  readonly attempts: number;
  readonly orderId: string | null;
  readonly paidKrw: number;
  readonly refundedKrw: number;
  readonly refundRequested: boolean;
  readonly ticketCount: number;
  /** Seats that stand in its name. */
  readonly ownSeats: number;
  /** Its tickets that are not void: how many for seats, and the ticket type of each other. */
  readonly liveSeatTickets: number;
  readonly liveTicketTypes: readonly string[];
  /** What goes back for its void tickets, and for its cancellations. */
  readonly ticketRefundsKrw: number;
  readonly cancellationRefundsKrw: number;
}

export interface ReservationHistory {
  readonly reservationId: string;
  readonly steps: readonly ReservationStep[];
  readonly row: ReservationRow | null;
}

export interface TicketStep extends LedgerStep {
  readonly version: number;
  readonly state: TicketState;
  readonly reservationId: string | null;
  readonly userId: string | null;
  readonly orderId: string | null;
  /** Of a cancellation: whether everything goes back, and the show's date at that moment. Null: from before there were terms of refund. */
  readonly inFull: boolean | null;
  readonly showsAt: Micros | null;
}

export interface TicketRow {
  readonly state: TicketState;
  readonly version: number;
  readonly reservationId: string;
  readonly ownerId: string;
  readonly seatNo: number | null;
  readonly seatId: string | null;
  readonly grade: string | null;
  readonly ticketTypeId: string | null;
  readonly areaId: string | null;
  readonly priceKrw: number;
  readonly feeKrw: number;
  readonly orderId: string | null;
  readonly termsId: number;
  readonly issuedAt: Micros;
  /** The show's date when it was bought. */
  readonly showsAt: Micros | null;
  readonly refundKrw: number | null;
  readonly reservation: {
    readonly status: ReservationStatus;
    readonly lines: ReservationLines;
    readonly isOfEvent: boolean;
  } | null;
  /** Its seat as it stands. */
  readonly seat: { readonly state: SeatState; readonly reservationId: string | null } | null;
}

export interface TicketHistory {
  readonly ticketId: string;
  readonly steps: readonly TicketStep[];
  readonly row: TicketRow | null;
}

export const isLapsed = (heldUntil: Micros | null, at: Micros): boolean => heldUntil !== null && heldUntil <= at;

export const timeOf = (micros: Micros | null): string =>
  micros === null ? 'no time' : new Date(micros / 1_000).toISOString();

/** How a step is called in a contradiction. */
export const nameOf = ({ id, act, at }: LedgerStep): string => `ledger row ${id} (${act} at ${timeOf(at)})`;
