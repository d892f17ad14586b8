import { type Static, Type } from 'typebox';
import { Count, exactly, nullable, oneOf, Time, Uuid } from '#platform/schemas.ts';
import { refundRules } from './domain/refund-terms.ts';
import { paymentStatuses, reservationStatuses } from './domain/reservation.ts';
import { seatLooks } from './domain/seat.ts';
import { ticketStates } from './domain/ticket.ts';

/** The pieces that ticketing's requests, answers and events are made of. */

export const Krw = Type.Integer({ minimum: 0 });
/** `section-row-label`, as catalog makes it. */
export const SeatId = Type.String({
  minLength: 5,
  maxLength: 40,
  pattern: '^[\\p{L}\\p{N}]+-[\\p{L}\\p{N}]+-[\\p{L}\\p{N}]+$',
});
export const seatsPerRequestMax = 20;
export const SeatIds = Type.Array(SeatId, { minItems: 1, maxItems: seatsPerRequestMax });

const ReservedSeat = Type.Object({
  seatId: Type.String(),
  section: Type.String(),
  row: Type.String(),
  label: Type.String(),
  grade: Type.String(),
  priceKrw: Krw,
});

const ReservedItem = Type.Object({
  ticketTypeId: Uuid,
  areaId: Type.String(),
  quantity: Type.Integer({ minimum: 1 }),
  priceKrw: Type.Integer({ minimum: 0, description: 'of one' }),
});

export const Reservation = Type.Object({
  id: Uuid,
  reservationNumber: Type.String({ description: 'short, to be read aloud' }),
  eventId: Uuid,
  status: oneOf(reservationStatuses),
  paymentStatus: oneOf(paymentStatuses),
  seats: Type.Array(ReservedSeat),
  items: Type.Array(ReservedItem),
  feeKrw: Krw,
  totalKrw: Type.Integer({ minimum: 0, description: 'seats, standing places and fees together' }),
  expiresAt: Type.String({ format: 'date-time', description: 'of the hold; what is paid for does not end' }),
  fence: Type.Integer({ minimum: 0, description: 'the largest of its seats, 0 for standing' }),
  createdAt: Time,
});
export type Reservation = Static<typeof Reservation>;

/** As its owner sees it afterwards. */
export const OwnReservation = Type.Object({
  ...Reservation.properties,
  refundedKrw: Type.Integer({ minimum: 0, description: 'what went back of what was paid' }),
  refundPendingKrw: Type.Integer({ minimum: 0, description: 'what is on its way back' }),
});
export type OwnReservation = Static<typeof OwnReservation>;

export const GradeLeft = Type.Object({ grade: Type.String(), priceKrw: Krw, left: Count });
export const AreaLeft = Type.Object({ ticketTypeId: Uuid, left: Count });

/** The drawing itself is the layout document, which is public and never changes. */
export const SeatMap = Type.Object({
  layoutId: Uuid,
  version: Type.Integer({ description: 'grows with every change; `since` and Last-Event-ID take it' }),
  states: Type.String({
    description:
      'base64 of 2 bits a seat in layout order, the first seat in the lowest bits: 0 free, 1 held, 2 sold, 3 blocked',
  }),
  grades: Type.Array(GradeLeft),
  areas: Type.Array(AreaLeft),
  mine: Type.Union([Reservation, Type.Null()]),
});
export type SeatMap = Static<typeof SeatMap>;

export const SectionSeat = Type.Object({
  seatId: Type.String(),
  row: Type.String(),
  label: Type.String(),
  grade: Type.String(),
  priceKrw: Krw,
  state: oneOf([...seatLooks, 'mine']),
});

export const SectionSeats = Type.Object({ version: Type.Integer(), items: Type.Array(SectionSeat) });

/** One step of the stream, and the answer to `?since=`. */
export const SeatChanges = Type.Object({
  version: Type.Integer(),
  resync: Type.Boolean({ description: 'too far behind: read the whole map again' }),
  seats: Type.Array(Type.Tuple([Type.Integer({ description: 'seatNo' }), Type.Integer({ minimum: 0, maximum: 3 })])),
  grades: Type.Array(GradeLeft),
  areas: Type.Array(AreaLeft),
});
export type SeatChanges = Static<typeof SeatChanges>;

export const Ticket = Type.Object({
  id: Uuid,
  reservationId: Uuid,
  reservationNumber: Type.String(),
  eventId: Uuid,
  event: Type.Object({
    title: Type.String(),
    titleEn: nullable(Type.String()),
    venue: Type.String(),
    venueEn: nullable(Type.String()),
    startsAt: Time,
    doorsAt: nullable(Time),
    cancelled: Type.Boolean(),
  }),
  seat: Type.Union([Type.Object({ ...ReservedSeat.properties }), Type.Null()]),
  area: Type.Union([
    Type.Object({ ticketTypeId: Uuid, areaId: Type.String(), name: Type.String(), nameEn: nullable(Type.String()) }),
    Type.Null(),
  ]),
  priceKrw: Krw,
  feeKrw: Krw,
  state: oneOf(ticketStates),
  version: Type.Integer({ minimum: 1 }),
  issuedAt: Time,
  checkedInAt: nullable(Time),
  voidReason: nullable(Type.String()),
  refundKrw: nullable(
    Type.Integer({
      minimum: 0,
      description: 'of a void ticket: what goes back of price and fee, or went; the rest is kept',
    }),
  ),
});
export type Ticket = Static<typeof Ticket>;

const amounts = {
  priceKrw: Krw,
  feeKrw: Krw,
  cancellationFeeKrw: Type.Integer({ minimum: 0, description: 'what is kept of the price' }),
  feeKeptKrw: Type.Integer({ minimum: 0, description: 'what is kept of the booking fee' }),
  refundKrw: Type.Integer({ minimum: 0, description: 'what goes back: price and fee without what is kept of them' }),
};

/** What a cancellation would give back. Written by `ticketing.quote_of` (migration 0011). */
export const RefundQuote = Type.Object({
  reservationId: Uuid,
  quotedAt: Time,
  showsAt: Type.String({
    format: 'date-time',
    description: 'the date that counts: of the date now and the one at the purchase the later',
  }),
  daysBefore: Type.Integer({ minimum: 0, description: 'whole days to the show, by the calendar of Seoul' }),
  rule: oneOf(refundRules, {
    description: 'the line of the terms that counts; `full`: everything goes back, e.g. of a cancelled event',
  }),
  lines: Type.Array(Type.Object({ ticketId: Uuid, ...amounts })),
  ...amounts,
  changesAt: nullable(Type.String({ format: 'date-time', description: 'when less begins to come back; null: never' })),
  terms: Type.Array(Type.Object({ daysBefore: Count, percentKept: Type.Integer({ minimum: 0, maximum: 100 }) })),
  bookingFeeUntil: nullable(
    Type.String({
      format: 'date-time',
      description: 'until when booking fees come back, too; null: no more, or always',
    }),
  ),
});
export type RefundQuote = Static<typeof RefundQuote>;

export const replaces = {
  replaces: Type.Optional(
    Type.String({ ...Uuid, description: 'an own pending reservation, released if and only if the new one is granted' }),
  ),
};

export const ItemRequest = exactly({ ticketTypeId: Uuid, quantity: Type.Integer({ minimum: 1, maximum: 20 }) });
