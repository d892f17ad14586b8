import { Type } from 'typebox';
import { defineRoutes } from '#platform/http/contract.ts';
import { cookiePrefixes } from '#platform/http/names.ts';
import { exactly, nullable, oneOf, Time } from '#platform/schemas.ts';
import {
  AssignAnswer,
  BrandingDocument,
  ChallengeDocument,
  CheckAnswer,
  checkParams,
  type DrawOrder,
  PublishedDrawDocument,
  Ramp,
  Rate,
  RequestTrace,
  RoomOverview,
  RoomStatusDocument,
  roomParams,
  traceParams,
} from './schemas.ts';

const operators = ['operator', 'admin'] as const;
const batchMax = 1_000_000;
const messageLengthMax = 500;

/** Nothing a visitor says about who they are counts: unknown fields are passed over, and no body is a body. */
const anything = Type.Unsafe<Readonly<Record<string, unknown>> | null>({ type: ['object', 'null'] });

export const waitingRoomContracts = defineRoutes({
  assignNumber: {
    operation: 'assignNumber',
    method: 'POST',
    path: '/vwr/assign/:eventId',
    summary: 'Take a number, or be told the one that this browser has',
    description: `Sets the cookie \`${cookiePrefixes.vwrRequest}{eventId}\`; with it the answer is the same number again. Fields of the body are passed over. 404 while the room is off: go on to the event.`,
    access: 'public',
    rate: 'assign',
    params: roomParams,
    body: anything,
    responses: { 200: AssignAnswer },
    problems: ['ROOM_NOT_ACTIVE', 'PROOF_REQUIRED', 'PROOF_REFUSED', 'SIGN_IN_REQUIRED', 'DRAW_VOID'],
  },
  checkWaitingRoom: {
    operation: 'checkWaitingRoom',
    method: 'GET',
    path: '/vwr/check/:eventId/:requestId',
    summary: 'May I go on? The pass, once the number is served',
    description: `Worth asking when the status document says that the line has come so far. Sets the cookie \`${cookiePrefixes.vwrToken}{eventId}\`.`,
    access: 'public',
    rate: 'watch',
    params: checkParams,
    responses: { 200: CheckAnswer },
    problems: ['REQUEST_REFUSED'],
  },
  getRoomStatus: {
    operation: 'getRoomStatus',
    method: 'GET',
    path: '/vwr/status/:eventId',
    summary: 'How far the line is, the same for everybody',
    description: 'May be kept by a cache for a second; pages watch it and reckon the rest by themselves.',
    access: 'public',
    rate: 'watch',
    params: roomParams,
    responses: { 200: RoomStatusDocument },
    problems: ['ROOM_NOT_ACTIVE'],
  },
  getChallenge: {
    operation: 'getChallenge',
    method: 'GET',
    path: '/vwr/challenge/:eventId',
    summary: 'The work that comes before a number, where the room asks for some',
    description: 'ALTCHA, version 2. Good for one number within two minutes.',
    access: 'public',
    rate: 'watch',
    params: roomParams,
    responses: { 200: ChallengeDocument },
    problems: ['ROOM_NOT_ACTIVE'],
  },
  getBranding: {
    operation: 'getBranding',
    method: 'GET',
    path: '/vwr/branding/:eventId',
    summary: 'Name, logo, colours and texts of the waiting page',
    access: 'public',
    rate: 'watch',
    params: roomParams,
    responses: { 200: BrandingDocument },
    problems: ['ROOM_NOT_ACTIVE'],
  },
  getDraw: {
    operation: 'getDraw',
    method: 'GET',
    path: '/vwr/draw/:eventId',
    summary: 'The latest draw of an event, whole, for anyone to verify',
    description:
      'What it holds and how it is verified: docs/guides/draw.md. `urr verify-draw` and `/fairness/{eventId}` do so.',
    access: 'public',
    rate: 'watch',
    params: roomParams,
    responses: { 200: PublishedDrawDocument },
  },
});

const operator = { access: operators, params: roomParams } as const;

export const waitingRoomAdminContracts = defineRoutes({
  activateRoom: {
    ...operator,
    operation: 'activateRoom',
    method: 'POST',
    path: '/api/admin/vwr/activate/:eventId',
    summary: 'Switch the room on; repeating it changes nothing',
    description:
      'With `reset` numbers begin anew in a later era; those who have one already are served first. A room that was off lets those on who had a number before.',
    rate: 'write',
    body: Type.Unsafe<{ reset?: boolean; draw?: DrawOrder } | null>({
      type: ['object', 'null'],
      properties: {
        reset: { type: 'boolean' },
        draw: {
          type: 'object',
          description:
            'gives numbers by chance to all who enter before `opensAt`. `operator`: without public randomness, as is then announced',
          properties: { beacon: { enum: ['drand', 'operator'] }, signInRequired: { type: 'boolean' } },
          required: ['beacon'],
          additionalProperties: false,
        },
      },
      additionalProperties: false,
    }),
    responses: { 200: RoomOverview },
    problems: ['ROOM_ERAS_USED_UP', 'DRAW_NEEDS_OPENING', 'DRAW_NEEDS_RESET'],
  },
  deactivateRoom: {
    ...operator,
    operation: 'deactivateRoom',
    method: 'POST',
    path: '/api/admin/vwr/deactivate/:eventId',
    summary: 'Switch the room off: everybody goes on',
    rate: 'write',
    responses: { 200: RoomOverview },
  },
  advanceRoom: {
    ...operator,
    operation: 'advanceRoom',
    method: 'POST',
    path: '/api/admin/vwr/advance/:eventId',
    summary: 'Serve so many places at once, never past the last number',
    rate: 'write',
    body: exactly({ batchSize: Type.Integer({ minimum: 1, maximum: batchMax }) }),
    responses: { 200: RoomOverview },
    problems: ['ROOM_NOT_ACTIVE'],
  },
  pauseRoom: {
    ...operator,
    operation: 'pauseRoom',
    method: 'POST',
    path: '/api/admin/vwr/pause/:eventId',
    summary: 'The line stands still; numbers are still given',
    rate: 'write',
    responses: { 200: RoomOverview },
  },
  resumeRoom: {
    ...operator,
    operation: 'resumeRoom',
    method: 'POST',
    path: '/api/admin/vwr/resume/:eventId',
    summary: 'The line goes on',
    rate: 'write',
    responses: { 200: RoomOverview },
  },
  setRoomMessage: {
    ...operator,
    operation: 'setRoomMessage',
    method: 'POST',
    path: '/api/admin/vwr/message/:eventId',
    summary: 'A sentence shown on the waiting page; null takes it away',
    rate: 'write',
    body: exactly({
      message: Type.Unsafe<string | null>({
        type: ['string', 'null'],
        minLength: 1,
        maxLength: messageLengthMax,
        pattern: '^[^\\p{Cc}\\p{Cs}]*$',
      }),
    }),
    responses: { 200: RoomOverview },
  },
  setRoomSchedule: {
    ...operator,
    operation: 'setRoomSchedule',
    method: 'PUT',
    path: '/api/admin/vwr/schedule/:eventId',
    summary: 'When the line begins to be served, and how fast',
    description:
      'What is left out stays as it is. `opensAt` null: at once. `rate` null: as configured; `auto`: so that no more wait behind the room than can be admitted there in `admitWithinSeconds`. `ramp`: from each time on its rate; with `auto`, the most.',
    rate: 'write',
    body: exactly({
      opensAt: Type.Optional(nullable(Time)),
      rate: Type.Optional(Type.Union([Rate, Type.Literal('auto'), Type.Null()])),
      ramp: Type.Optional(Type.Union([Ramp, Type.Null()])),
      admitWithinSeconds: Type.Optional(
        nullable(Type.Integer({ minimum: 10, maximum: 3_600, description: 'of `auto`: what may wait behind' })),
      ),
      proofDigits: Type.Optional(
        nullable(
          Type.Integer({
            minimum: 1,
            maximum: 6,
            description:
              'work before a number: each step makes it 16 times as hard; 3 takes a phone about a second. null: none',
          }),
        ),
      ),
      failMode: Type.Optional(
        oneOf(['open', 'closed'], {
          description: 'what guards make of the room when nobody has confirmed it for ten minutes',
        }),
      ),
    }),
    responses: { 200: RoomOverview },
  },
  setRoomBranding: {
    ...operator,
    operation: 'setRoomBranding',
    method: 'PUT',
    path: '/api/admin/vwr/branding/:eventId',
    summary: 'Name, logo, colours and texts of the waiting page; null is as usual',
    rate: 'write',
    body: BrandingDocument,
    responses: { 200: BrandingDocument },
    problems: ['BRANDING_UNREADABLE'],
  },
  getRoomOverview: {
    ...operator,
    operation: 'getRoomOverview',
    method: 'GET',
    path: '/api/admin/vwr/status/:eventId',
    summary: 'A room as its operator sees it',
    rate: 'read',
    responses: { 200: RoomOverview },
  },
  traceRequest: {
    operation: 'traceRequest',
    method: 'GET',
    path: '/api/admin/vwr/trace/:requestId',
    summary: 'Where is the visitor with this requestId, and why',
    access: operators,
    rate: 'read',
    params: traceParams,
    responses: { 200: RequestTrace },
  },
});
