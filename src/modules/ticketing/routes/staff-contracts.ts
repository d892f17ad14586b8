import { Type } from 'typebox';
import { defineRoutes } from '#platform/http/contract.ts';
import { Count, exactly, line, nullable, oneOf, Time, Uuid } from '#platform/schemas.ts';
import { checkInVerdicts } from '../domain/ticket.ts';
import { Krw, SeatId } from '../schemas.ts';

/** An event's own seller, operators and admins; who else asks is told that there is nothing. */
const staff = { access: ['seller', 'operator', 'admin'] } as const;
const eventParams = exactly({ eventId: Uuid });
const Code = Type.String({ minLength: 1, maxLength: 400 });
const Gate = Type.Optional(line(40));

const CheckedIn = Type.Object({
  ticketId: Uuid,
  eventId: Uuid,
  reservationNumber: Type.String(),
  seatId: nullable(Type.String()),
  areaId: nullable(Type.String()),
  checkedInAt: Time,
  gate: nullable(Type.String()),
});

const blocking = {
  ...staff,
  method: 'POST',
  rate: 'write',
  params: eventParams,
  bodyLimit: 262_144,
  body: exactly({ seatIds: Type.Array(SeatId, { minItems: 1, maxItems: 1_000 }), reason: line(200) }),
  responses: { 200: Type.Object({ changed: Count }) },
  problems: ['SEATS_NOT_FREE', 'SEATS_NOT_READY'],
} as const;

export const staffContracts = defineRoutes({
  checkIn: {
    ...staff,
    operation: 'checkIn',
    method: 'POST',
    path: '/api/check-in',
    summary: 'Let the holder of a ticket in. One wins; the second sees when and where the first was',
    rate: 'write',
    body: exactly({ code: Code, gate: Gate, eventId: Type.Optional(Uuid) }),
    responses: { 200: CheckedIn },
    problems: ['NOT_FOUND', 'TICKET_NOT_VALID', 'CODE_INVALID'],
  },
  getCheckInBundle: {
    ...staff,
    operation: 'getCheckInBundle',
    method: 'GET',
    path: '/api/check-in/events/:eventId/bundle',
    summary: 'What a scanner needs without a network: public keys and the tickets that are no longer good',
    rate: 'read',
    params: eventParams,
    responses: {
      200: Type.Object({
        eventId: Uuid,
        title: Type.String(),
        startsAt: Time,
        doorsAt: nullable(Time),
        madeAt: Time,
        keys: Type.Array(
          Type.Object({ kid: Type.String(), publicKey: Type.String({ description: 'Ed25519, raw, base64url' }) }),
        ),
        revoked: Type.Object({
          count: Count,
          entries: Type.String({
            description:
              'base64 of 18 bytes each, in order: the ticket id, and the lowest version that is still good as 16 bits, big endian; 65535: none is',
          }),
        }),
      }),
    },
  },
  syncCheckIns: {
    ...staff,
    operation: 'syncCheckIns',
    method: 'POST',
    path: '/api/check-in/events/:eventId/sync',
    summary: 'Send scans that were made without a network. Repeating it is harmless',
    rate: 'write',
    params: eventParams,
    bodyLimit: 524_288,
    body: exactly({
      scans: Type.Array(exactly({ scanId: Uuid, code: Code, gate: Gate, scannedAt: Time }), {
        minItems: 1,
        maxItems: 500,
      }),
    }),
    responses: {
      200: Type.Object({
        results: Type.Array(
          Type.Object({
            scanId: Uuid,
            verdict: oneOf(checkInVerdicts),
            ticketId: nullable(Uuid),
            conflict: Type.Boolean({ description: 'another scan let the same ticket in, too' }),
            checkedInAt: nullable(Time),
            gate: nullable(Type.String()),
          }),
        ),
      }),
    },
  },
  blockSeats: {
    ...blocking,
    operation: 'blockSeats',
    path: '/api/seller/events/:eventId/seats/block',
    summary: 'Take free seats out of the sale, all or none',
  },
  unblockSeats: {
    ...blocking,
    operation: 'unblockSeats',
    path: '/api/seller/events/:eventId/seats/unblock',
    summary: 'Put blocked seats back into the sale, all or none',
  },
  getEventSales: {
    ...staff,
    operation: 'getEventSales',
    method: 'GET',
    path: '/api/seller/events/:eventId/sales',
    summary: 'What is sold, held, blocked and free, by grade and area',
    rate: 'read',
    params: eventParams,
    responses: {
      200: Type.Object({
        eventId: Uuid,
        grades: Type.Array(
          Type.Object({
            grade: Type.String(),
            priceKrw: Krw,
            total: Count,
            sold: Count,
            held: Count,
            blocked: Count,
            free: Count,
            soldKrw: Krw,
          }),
        ),
        areas: Type.Array(
          Type.Object({
            ticketTypeId: Uuid,
            areaId: Type.String(),
            name: Type.String(),
            priceKrw: Krw,
            total: Count,
            sold: Count,
            held: Count,
            free: Count,
            soldKrw: Krw,
          }),
        ),
        checkedIn: Count,
      }),
    },
  },
});
