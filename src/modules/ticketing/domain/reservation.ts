/**
 *            prepare extends once, a decline leaves at least 2 min, never beyond 10 min from creation
 *                ┌──┐
 *                ▼  │      pin                 PAYMENT_CONFIRMED                 some tickets            all tickets
 *   hold ──▶ PENDING ───────────▶ PAYING ────────────────────────▶ CONFIRMED ──────────────▶ PARTIALLY_ ──────────▶ CANCELLED
 *             │  │ ▲  declined     │  │                            ▲      │                  CANCELLED                 ▲
 *   released ◀┘  │ └───────────────┘  ▼                            │      └────────────────────────────────────────────┘
 *                ▼          WAITING_FOR_DEPOSIT ───────────────────┘
 *             EXPIRED ◀──────────┘ deadline
 *
 * A total of zero goes from PENDING to CONFIRMED without payment. A cancellation while PAYING or WAITING_FOR_DEPOSIT sets
 * `refund_requested`: a later capture is refunded, a decline simply releases.
 */
export const reservationStatuses = [
  'pending',
  'paying',
  'waiting_for_deposit',
  'confirmed',
  'partially_cancelled',
  'cancelled',
  'expired',
  'released',
] as const;
export type ReservationStatus = (typeof reservationStatuses)[number];

export const paymentStatuses = [
  'none',
  'pending',
  'paid',
  'refund_requested',
  'partially_refunded',
  'refunded',
] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];

export const holdTimes = {
  holdMs: 5 * 60_000,
  /** Payment's `prepare` extends to this from now, once. */
  extendedMs: 5 * 60_000,
  /** What is left at the least after a decline. */
  afterDeclineMs: 2 * 60_000,
  /** From creation; nothing goes beyond it but a payment under way. */
  holdMaxMs: 10 * 60_000,
  attemptsMax: 3,
} as const;

/** What a reservation is of, as it was granted. Never changed; tickets say what became of it. */
export interface ReservationLines {
  readonly seats: readonly ReservedSeatLine[];
  readonly items: readonly ReservedItemLine[];
}

export interface ReservedSeatLine {
  readonly seatNo: number;
  readonly seatId: string;
  readonly grade: string;
  readonly priceKrw: number;
  readonly feeKrw: number;
  readonly fence: number;
}

export interface ReservedItemLine {
  readonly ticketTypeId: string;
  readonly areaId: string;
  readonly quantity: number;
  /** Of one. */
  readonly priceKrw: number;
  readonly feeKrw: number;
}
