import { Type } from 'typebox';
import { defineRoutes } from '#platform/http/contract.ts';
import { callerHeaders } from '#platform/http/names.ts';
import {
  Count,
  eventParams,
  exactly,
  Nothing,
  QueueAnswer,
  QueueOverview,
  SettingsShown,
  UserOverview,
  Uuid,
} from './schemas.ts';

/** A user's own ticket may be shown as well; it then has to be good. */
const shownTicket = [callerHeaders.queueTicket] as const;

const operators = ['operator', 'admin'] as const;
const thresholdMax = 1_000_000;
const messageLengthMax = 500;

export const queueContracts = defineRoutes({
  checkQueue: {
    operation: 'checkQueue',
    method: 'POST',
    path: '/api/queue/check/:eventId',
    summary: 'Enter the queue of an event, or come back to it',
    description:
      'Repeating it, from any tab or device, returns the same place. Sets the cookies `urr-queue-ticket-{eventId}` and, in a slot, `urr-entry-token-{eventId}`.',
    access: 'user',
    rate: 'check',
    headers: shownTicket,
    params: eventParams,
    query: Nothing,
    responses: { 200: QueueAnswer },
    problems: ['TIER1_REQUIRED', 'NUMBER_TAKEN', 'TICKET_REFUSED'],
  },
  getQueueStatus: {
    operation: 'getQueueStatus',
    method: 'GET',
    path: '/api/queue/status/:eventId',
    summary: 'Where am I',
    description:
      'A sign of life that never extends a slot. The waiting ticket (`x-queue-ticket` or its cookie) is enough; without one the user is looked up.',
    access: 'public',
    rate: 'poll',
    ticket: 'accepted',
    headers: [callerHeaders.entryToken],
    params: eventParams,
    query: Nothing,
    responses: { 200: QueueAnswer },
    problems: ['UNAUTHENTICATED', 'TICKET_REFUSED'],
  },
  sendQueueHeartbeat: {
    operation: 'sendQueueHeartbeat',
    method: 'POST',
    path: '/api/queue/heartbeat/:eventId',
    summary: 'I am still here',
    access: 'public',
    rate: 'poll',
    ticket: 'accepted',
    params: eventParams,
    query: Nothing,
    responses: { 204: Type.Null() },
    problems: ['UNAUTHENTICATED', 'TICKET_REFUSED'],
  },
  leaveQueue: {
    operation: 'leaveQueue',
    method: 'POST',
    path: '/api/queue/leave/:eventId',
    summary: 'Give up the place or the slot, at once and for good',
    access: 'user',
    rate: 'write',
    headers: shownTicket,
    params: eventParams,
    query: Nothing,
    responses: { 200: exactly({ left: Type.Unsafe<Left>({ type: 'string', enum: ['place', 'slot', 'nothing'] }) }) },
    problems: ['TICKET_REFUSED'],
  },
  enterQueue: {
    operation: 'enterQueue',
    method: 'POST',
    path: '/api/queue/enter/:eventId',
    summary: 'Enter through the bus: answered before the place is taken',
    description: 'Poll the status with the pending ticket; `checkQueue` in the meantime takes the place at once.',
    access: 'user',
    rate: 'enter',
    headers: shownTicket,
    params: eventParams,
    query: Nothing,
    responses: { 202: QueueAnswer },
    problems: ['TIER1_REQUIRED', 'TICKET_REFUSED'],
  },
  streamQueue: {
    operation: 'streamQueue',
    method: 'GET',
    path: '/api/queue/stream/:eventId',
    summary: 'Server-sent events: RANK_UPDATE, ACTIVE_TURN, ENTRY_TOKEN, PLACE_OVER',
    description:
      'Identified by cookie or header, never by the query string. An open stream is no sign of life and no claim of a slot: post a heartbeat every 25 s, and ask the status at ACTIVE_TURN and at PLACE_OVER, after which the stream ends.',
    access: 'public',
    rate: 'poll',
    ticket: 'accepted',
    headers: [callerHeaders.lastEventId],
    params: eventParams,
    query: Nothing,
    responses: { 200: Type.String({ description: 'text/event-stream' }) },
    problems: ['UNAUTHENTICATED', 'TICKET_REFUSED', 'NO_PLACE', 'STREAMS_FULL'],
  },
});

type Left = 'place' | 'slot' | 'nothing';

const operator = { access: operators, params: eventParams, query: Nothing } as const;

export const queueAdminContracts = defineRoutes({
  getQueueOverview: {
    ...operator,
    operation: 'getQueueOverview',
    method: 'GET',
    path: '/api/queue/admin/:eventId',
    summary: 'A queue as its operator sees it',
    rate: 'read',
    responses: { 200: QueueOverview },
  },
  traceQueueUser: {
    ...operator,
    operation: 'traceQueueUser',
    method: 'GET',
    path: '/api/queue/admin/:eventId/users/:userId',
    summary: 'Where is this person, and why',
    rate: 'read',
    params: exactly({ eventId: Uuid, userId: Uuid }),
    responses: { 200: UserOverview },
  },
  endQueueSlot: {
    ...operator,
    operation: 'endQueueSlot',
    method: 'POST',
    path: '/api/queue/admin/:eventId/users/:userId/end-slot',
    summary: 'Take the slot of a user away',
    rate: 'write',
    params: exactly({ eventId: Uuid, userId: Uuid }),
    responses: { 200: exactly({ ended: Type.Boolean() }) },
  },
  setQueueThreshold: {
    ...operator,
    operation: 'setQueueThreshold',
    method: 'PUT',
    path: '/api/queue/admin/threshold/:eventId',
    summary: 'How many may shop at once; lowering drains and evicts nobody',
    rate: 'write',
    body: exactly({ threshold: Type.Integer({ minimum: 0, maximum: thresholdMax }) }),
    responses: { 200: SettingsShown },
  },
  unsetQueueThreshold: {
    ...operator,
    operation: 'unsetQueueThreshold',
    method: 'DELETE',
    path: '/api/queue/admin/threshold/:eventId',
    summary: "The event's own threshold counts again, or the configured one",
    description: 'Repeating it changes nothing. What the event or the configuration says later is followed, too.',
    rate: 'write',
    responses: { 200: SettingsShown },
  },
  pauseQueue: {
    ...operator,
    operation: 'pauseQueue',
    method: 'POST',
    path: '/api/queue/admin/:eventId/pause',
    summary: 'Nobody is admitted until resumed',
    rate: 'write',
    responses: { 200: SettingsShown },
  },
  resumeQueue: {
    ...operator,
    operation: 'resumeQueue',
    method: 'POST',
    path: '/api/queue/admin/:eventId/resume',
    summary: 'Go on after a pause or a close',
    rate: 'write',
    responses: { 200: SettingsShown },
  },
  closeQueue: {
    ...operator,
    operation: 'closeQueue',
    method: 'POST',
    path: '/api/queue/admin/:eventId/close',
    summary: 'No new entrants; those who wait go on',
    rate: 'write',
    responses: { 200: SettingsShown },
  },
  clearQueue: {
    ...operator,
    operation: 'clearQueue',
    method: 'POST',
    path: '/api/queue/admin/:eventId/clear',
    summary: 'End every waiting place that is there now, for good; slots stay',
    description:
      'Whoever enters afterwards stays. Answers within some 3 s; `more` says that it goes on in the background, and `cleared` how many it was so far. Until it has ended, a further call waits for the same clearing and ends nobody else. Should the process that does it stop, the rest still waits: `getQueueOverview` shows how many, and the call can be repeated.',
    rate: 'write',
    responses: { 200: exactly({ cleared: Count, more: Type.Boolean() }) },
  },
  setQueueMessage: {
    ...operator,
    operation: 'setQueueMessage',
    method: 'POST',
    path: '/api/queue/admin/:eventId/message',
    summary: 'A sentence shown on the waiting pages; null takes it away',
    rate: 'write',
    body: exactly({
      message: Type.Unsafe<string | null>({
        type: ['string', 'null'],
        minLength: 1,
        maxLength: messageLengthMax,
        pattern: '^[^\\p{Cc}\\p{Cs}]*$',
      }),
    }),
    responses: { 200: SettingsShown },
  },
});
