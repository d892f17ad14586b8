import { type Static, Type } from 'typebox';
import { defineTopic } from '#platform/bus/port.ts';
import { nullable, oneOf, Time, Uuid } from '#platform/schemas.ts';
import { saleTiers } from './domain/phases.ts';
import { GradePrice, Named, TicketTypeOffer } from './schemas.ts';

/**
 * Everything the others need to sell an event and to keep a queue for it, whole in every message: a reader keeps the
 * one with the highest `version` and needs no history.
 */
export const EventSnapshot = Type.Object({
  eventId: Uuid,
  version: Type.Integer(),
  sellerId: Uuid,
  title: Type.String(),
  titleEn: nullable(Type.String()),
  artist: Named,
  venue: Named,
  layoutId: Uuid,
  startsAt: Time,
  doorsAt: nullable(Time),
  saleOpensAt: Time,
  saleClosesAt: Time,
  phases: Type.Array(Type.Object({ tier: oneOf(saleTiers), opensAt: Time })),
  prices: Type.Array(GradePrice),
  ticketTypes: Type.Array(TicketTypeOffer),
  seatCount: Type.Integer(),
  capacity: Type.Integer({ description: 'seats and standing places together' }),
  purchaseLimit: Type.Integer(),
  hot: Type.Boolean(),
  queueEnabled: Type.Boolean(),
  queueThreshold: nullable(Type.Integer()),
  /** Came later: a message from before has none, which is 0. */
  seatReturnDelayMaxSeconds: Type.Optional(
    Type.Integer({ description: 'a cancelled seat is sold again after a random time up to this' }),
  ),
});
export type EventSnapshot = Static<typeof EventSnapshot>;

export const catalogEvents = defineTopic({
  name: 'catalog-events',
  key: 'eventId',
  retention: 'forever',
  types: {
    EVENT_PUBLISHED: {
      version: 1,
      summary: 'An event became public, with all facts of its sale.',
      data: EventSnapshot,
    },
    EVENT_CHANGED: {
      version: 1,
      summary: 'Facts of a public event changed; the data is the new whole.',
      data: EventSnapshot,
    },
    EVENT_CANCELLED: {
      version: 1,
      summary: 'A public event will not take place; anyone who bought is refunded in full.',
      data: Type.Object({ ...EventSnapshot.properties, cancelledAt: Time, reason: Type.String() }),
    },
  },
});

export const catalogViews = defineTopic({
  name: 'catalog-views',
  key: 'eventId',
  retention: { hours: 6 },
  types: {
    EVENT_VIEWED: {
      version: 1,
      summary: 'An event was looked at this many times in one process since the message before.',
      data: Type.Object({ eventId: Uuid, count: Type.Integer({ minimum: 1 }), at: Time }),
    },
  },
});
