import { Type } from 'typebox';
import { defineRoutes } from '#platform/http/contract.ts';
import { Count, exactly, Page, pageQuery, Uuid } from '#platform/schemas.ts';
import { AreaLeft, GradeLeft, Krw, OwnReservation, RefundQuote, Ticket } from '../schemas.ts';

const reservationParams = exactly({ reservationId: Uuid });
const uuidText = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const TicketIdList = Type.String({ pattern: `^${uuidText}(,${uuidText}){0,99}$`, maxLength: 3_699 });
const own = { access: 'user', rate: 'read' } as const;

/** What buyers do with what they hold or have bought. Needs no slot: anyone who bought always reaches it. */
export const reservationContracts = defineRoutes({
  listMyReservations: {
    ...own,
    operation: 'listMyReservations',
    method: 'GET',
    path: '/api/reservations/my',
    summary: 'My reservations, the newest first',
    query: exactly(pageQuery),
    responses: { 200: Page(OwnReservation) },
  },
  getReservation: {
    ...own,
    operation: 'getReservation',
    method: 'GET',
    path: '/api/reservations/:reservationId',
    summary: 'One of my reservations',
    params: reservationParams,
    responses: { 200: OwnReservation },
  },
  confirmReservation: {
    operation: 'confirmReservation',
    method: 'POST',
    path: '/api/reservations/:reservationId/confirm',
    summary: 'Confirm a reservation that costs nothing. Repeating it is harmless',
    access: 'user',
    rate: 'confirm',
    idempotency: 'accepted',
    params: reservationParams,
    responses: { 200: OwnReservation },
    problems: ['RESERVATION_EXPIRED', 'RESERVATION_CLOSED', 'PAYMENT_NEEDED', 'SALE_OVER'],
  },
  cancelReservation: {
    operation: 'cancelReservation',
    method: 'POST',
    path: '/api/reservations/:reservationId/cancel',
    summary: 'Give a hold up at once, or cancel all or some tickets of a confirmed reservation',
    description:
      'While it is being paid for, the cancellation is accepted as `refund_requested`. What goes back is what the refund quote says. `refundKrw`: what was shown; if less would go back by now, nothing is cancelled. Repeating it is harmless.',
    access: 'user',
    rate: 'write',
    idempotency: 'accepted',
    params: reservationParams,
    body: exactly({
      ticketIds: Type.Optional(Type.Array(Uuid, { minItems: 1, maxItems: 100 })),
      refundKrw: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647 })),
    }),
    responses: { 200: OwnReservation },
    problems: ['RESERVATION_EXPIRED', 'RESERVATION_CLOSED', 'NOT_CANCELLABLE', 'REFUND_CHANGED'],
  },
  getRefundQuote: {
    ...own,
    operation: 'getRefundQuote',
    method: 'GET',
    path: '/api/reservations/:reservationId/refund-quote',
    summary: 'What a cancellation would give back now, ticket by ticket',
    description:
      '`ticketIds`: only these, separated by commas; without it all tickets that can still be cancelled. Send its `refundKrw` along when cancelling: then no less goes back than was shown.',
    params: reservationParams,
    query: exactly({ ticketIds: Type.Optional(TicketIdList) }),
    responses: { 200: RefundQuote },
    problems: ['NOTHING_TO_REFUND', 'NOT_CANCELLABLE'],
  },
  listMyTickets: {
    ...own,
    operation: 'listMyTickets',
    method: 'GET',
    path: '/api/tickets/my',
    summary: 'My tickets, the newest first',
    query: exactly({ ...pageQuery, reservationId: Type.Optional(Uuid) }),
    responses: { 200: Page(Ticket) },
  },
  getTicket: {
    ...own,
    operation: 'getTicket',
    method: 'GET',
    path: '/api/tickets/:ticketId',
    summary: 'One of my tickets',
    params: exactly({ ticketId: Uuid }),
    responses: { 200: Ticket },
  },
  getTicketQr: {
    ...own,
    operation: 'getTicketQr',
    method: 'GET',
    path: '/api/tickets/:ticketId/qr',
    summary: 'What opens the door: as JSON, or as a picture for `Accept: image/svg+xml`',
    params: exactly({ ticketId: Uuid }),
    responses: { 200: Type.Object({ code: Type.String() }) },
    download: ['application/json', 'image/svg+xml'],
    problems: ['TICKET_NOT_VALID'],
  },
  listEventTickets: {
    operation: 'listEventTickets',
    method: 'GET',
    path: '/api/tickets/event/:eventId',
    tier1: { eventParam: 'eventId' },
    summary: 'What is sold for an event and how much is left',
    access: 'public',
    rate: 'read',
    params: exactly({ eventId: Uuid }),
    responses: {
      200: Type.Object({
        eventId: Uuid,
        ready: Type.Boolean(),
        grades: Type.Array(GradeLeft),
        ticketTypes: Type.Array(
          Type.Object({
            ...AreaLeft.properties,
            areaId: Type.String(),
            name: Type.String(),
            priceKrw: Krw,
            capacity: Count,
          }),
        ),
      }),
    },
  },
  getTicketTypeAvailability: {
    operation: 'getTicketTypeAvailability',
    method: 'GET',
    path: '/api/tickets/availability/:ticketTypeId',
    summary: 'How much is left of one ticket type',
    access: 'public',
    rate: 'read',
    params: exactly({ ticketTypeId: Uuid }),
    responses: { 200: Type.Object({ ticketTypeId: Uuid, eventId: Uuid, capacity: Count, left: Count }) },
  },
});
