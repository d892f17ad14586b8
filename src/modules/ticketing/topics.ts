import { Type } from 'typebox';
import { defineTopic } from '#platform/bus/port.ts';
import { nullable, oneOf, Time, Uuid } from '#platform/schemas.ts';
import { refundRules } from './domain/refund-terms.ts';
import { Krw } from './schemas.ts';

/** These two are written by SQL (`urr.append_event`), which reckons with this many. */
export const ticketingTopicPartitions = 3;

const subject = {
  reservationId: Uuid,
  reservationNumber: Type.String(),
  eventId: Uuid,
  userId: Uuid,
  sellerId: Uuid,
};

/** Why a reservation, or a part of it, is over. */
const cancelReasons = ['buyer', 'staff', 'event_cancelled', 'payment_refunded', 'payment_reversed'] as const;

const lines = {
  seats: Type.Array(
    Type.Object({ seatNo: Type.Integer(), seatId: Type.String(), grade: Type.String(), priceKrw: Krw, feeKrw: Krw }),
  ),
  items: Type.Array(
    Type.Object({ ticketTypeId: Uuid, areaId: Type.String(), quantity: Type.Integer(), priceKrw: Krw, feeKrw: Krw }),
  ),
};

export const reservationHolds = defineTopic({
  name: 'reservation-holds',
  key: 'eventId',
  partitions: ticketingTopicPartitions,
  retention: { hours: 24 * 90 },
  types: {
    RESERVATIONS_CREATED: {
      version: 1,
      summary: 'Holds of one event that were granted together.',
      data: Type.Object({
        eventId: Uuid,
        reservations: Type.Array(
          Type.Object({
            reservationId: Uuid,
            userId: Uuid,
            ...lines,
            feeKrw: Krw,
            totalKrw: Krw,
            createdAt: Time,
            expiresAt: Time,
          }),
        ),
      }),
    },
  },
});

export const reservationEvents = defineTopic({
  name: 'reservation-events',
  key: 'reservationId',
  partitions: ticketingTopicPartitions,
  retention: 'forever',
  types: {
    RESERVATION_CONFIRMED: {
      version: 1,
      summary: 'Its tickets are issued. `slotId` is the slot of the queue in which it was made.',
      data: Type.Object({
        ...subject,
        slotId: nullable(Type.String()),
        orderId: nullable(Type.String()),
        attemptId: nullable(Type.String()),
        ...lines,
        feeKrw: Krw,
        totalKrw: Krw,
        ticketIds: Type.Array(Uuid),
        confirmedAt: Time,
      }),
    },
    RESERVATION_CANCELLED: {
      version: 1,
      summary: 'Tickets of it are void, or a payment under way is no longer wanted. Money goes back as `refunds` says.',
      data: Type.Object({
        ...subject,
        cancellationId: Uuid,
        reason: oneOf(cancelReasons),
        ticketIds: Type.Array(Uuid),
        isWhole: Type.Boolean(),
        /** The money was already given back, which is why this happened. */
        alreadyRefunded: Type.Boolean(),
        refunds: Type.Array(
          Type.Object({
            orderId: Type.String(),
            ticketIds: Type.Array(Uuid),
            faceKrw: Krw,
            feeKrw: Krw,
            /** What goes back by the terms of refund. Messages from before there were any: all of it. */
            amountKrw: Type.Optional(Krw),
            /** The same, ticket by ticket: what a person follows. */
            lines: Type.Optional(
              Type.Array(
                Type.Object({ ticketId: Uuid, faceKrw: Krw, feeKrw: Krw, amountKrw: Krw, rule: oneOf(refundRules) }),
              ),
            ),
          }),
        ),
        cancelledAt: Time,
      }),
    },
    RESERVATION_EXPIRED: {
      version: 1,
      summary: 'A hold whose time was over, or that its holder gave up (`released`).',
      data: Type.Object({ ...subject, released: Type.Boolean(), expiredAt: Time }),
    },
    RESERVATION_PAYMENT_REJECTED: {
      version: 1,
      summary: 'A capture that came too late or for something else: its money has to go back.',
      data: Type.Object({
        ...subject,
        attemptId: Uuid,
        orderId: Type.String(),
        amountKrw: Krw,
        reason: oneOf(['expired', 'cancelled', 'confirmed_by_another', 'amount', 'unknown']),
        rejectedAt: Time,
      }),
    },
    RESERVATION_REFUND_IN_USE: {
      version: 1,
      summary: 'Money went back at the provider for tickets that are used or sold on. A person has to look at it.',
      data: Type.Object({
        ...subject,
        attemptId: Uuid,
        orderId: Type.String(),
        ticketIds: Type.Array(Uuid),
        amountKrw: Krw,
        reason: oneOf(['refunded', 'reversed']),
        at: Time,
      }),
    },
  },
});
