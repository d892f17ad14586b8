import { Type } from 'typebox';
import { defineRoutes } from '#platform/http/contract.ts';
import { callerHeaders } from '#platform/http/names.ts';
import { exactly, Uuid } from '#platform/schemas.ts';
import {
  ItemRequest,
  Reservation,
  replaces,
  SeatChanges,
  SeatIds,
  SeatMap,
  SectionSeats,
  seatsPerRequestMax,
} from '../schemas.ts';

const eventParams = exactly({ eventId: Uuid });
const granting = {
  method: 'POST',
  access: 'user',
  rate: 'reserve',
  entry: 'required',
  idempotency: 'accepted',
  responses: { 201: Reservation, 200: Reservation },
} as const;
const grantProblems = [
  'NOT_FOUND',
  'SALE_NOT_OPEN',
  'SALE_OVER',
  'TIER_NOT_OPEN',
  'PURCHASE_LIMIT',
  'SEATS_NOT_READY',
  'HOLDS_BUSY',
  'IDEMPOTENCY_IN_FLIGHT',
  'IDEMPOTENCY_MISMATCH',
] as const;

/** What needs a slot of the queue. */
export const seatContracts = defineRoutes({
  getSeatMap: {
    operation: 'getSeatMap',
    method: 'GET',
    path: '/api/seats/events/:eventId',
    tier1: { eventParam: 'eventId' },
    summary: 'The whole seat map, and the own reservation',
    access: 'user',
    rate: 'poll',
    entry: 'required',
    params: eventParams,
    responses: { 200: SeatMap },
    problems: ['SEATS_NOT_READY'],
  },
  getSectionSeats: {
    operation: 'getSectionSeats',
    method: 'GET',
    path: '/api/seats/events/:eventId/sections/:section',
    tier1: { eventParam: 'eventId' },
    summary: 'The seats of one section as a list',
    access: 'user',
    rate: 'poll',
    entry: 'required',
    params: exactly({ eventId: Uuid, section: Type.String({ minLength: 1, maxLength: 12 }) }),
    responses: { 200: SectionSeats },
    problems: ['SEATS_NOT_READY'],
  },
  streamSeats: {
    operation: 'streamSeats',
    method: 'GET',
    path: '/api/seats/events/:eventId/stream',
    tier1: { eventParam: 'eventId' },
    summary: 'Changes of the seat map: server-sent events SEATS and RESYNC, or, with `since`, one answer',
    description:
      'Each event has the version as its id; Last-Event-ID resumes. With `?since=` the changes after that version are answered at once as JSON.',
    access: 'user',
    rate: 'poll',
    entry: 'required',
    headers: [callerHeaders.lastEventId],
    params: eventParams,
    query: exactly({ since: Type.Optional(Type.Integer({ minimum: 0 })) }),
    responses: { 200: SeatChanges },
    problems: ['SEATS_NOT_READY', 'SEAT_STREAMS_FULL'],
  },
  reserveSeats: {
    ...granting,
    operation: 'reserveSeats',
    path: '/api/seats/reserve',
    summary: 'Hold these seats, all or none. The own same seats again: 200 and the same reservation',
    body: exactly({ eventId: Uuid, seatIds: SeatIds, ...replaces }),
    problems: [...grantProblems, 'SEAT_TAKEN', 'SEATS_BUSY'],
  },
  reserveBestAvailable: {
    ...granting,
    operation: 'reserveBestAvailable',
    path: '/api/seats/best-available',
    summary: 'Hold the best seats that fit',
    body: exactly({
      eventId: Uuid,
      count: Type.Integer({ minimum: 1, maximum: seatsPerRequestMax }),
      grade: Type.Optional(Type.String({ minLength: 1, maxLength: 20 })),
      section: Type.Optional(Type.String({ minLength: 1, maxLength: 12 })),
      together: Type.Boolean(),
      maxPriceKrw: Type.Optional(Type.Integer({ minimum: 0 })),
      ...replaces,
    }),
    problems: [...grantProblems, 'NOTHING_FITS', 'SEATS_BUSY'],
  },
  reserveStanding: {
    ...granting,
    operation: 'reserveStanding',
    path: '/api/reservations',
    summary: 'Hold standing and general admission',
    body: exactly({ eventId: Uuid, items: Type.Array(ItemRequest, { minItems: 1, maxItems: 10 }), ...replaces }),
    problems: [...grantProblems, 'NOT_ENOUGH_LEFT', 'SEATS_BUSY'],
  },
});
