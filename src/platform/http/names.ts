/**
 * The names of headers and cookies, each written once: the gateway, CORS, OpenAPI, auth and the queue all speak of the
 * same ones, and a name that is spelled in two files is sooner or later changed in one of them.
 */

/** What a caller may send. Pages of other origins may send all of it (CORS), so a header that is read belongs here. */
export const callerHeaders = {
  authorization: 'authorization',
  contentType: 'content-type',
  idempotencyKey: 'idempotency-key',
  ifNoneMatch: 'if-none-match',
  lastEventId: 'last-event-id',
  entryToken: 'x-queue-entry-token',
  waitingTicket: 'x-queue-ticket',
  requestId: 'x-request-id',
} as const;
export type CallerHeader = (typeof callerHeaders)[keyof typeof callerHeaders];

/** What an answer says beside its body. Scripts of other origins may read it. */
export const answerHeaders = {
  etag: 'etag',
  /** The key of the request; one that was made for a caller who sent none can be repeated with. */
  idempotencyKey: callerHeaders.idempotencyKey,
  idempotentReplayed: 'idempotent-replayed',
  rateLimit: 'ratelimit-limit',
  rateRemaining: 'ratelimit-remaining',
  rateReset: 'ratelimit-reset',
  requestId: callerHeaders.requestId,
  retryAfter: 'retry-after',
} as const;

/** Only a process of this installation may say these, with its signature. From outside they are removed. */
export const internalHeaders = {
  userId: 'x-user-id',
  email: 'x-user-email',
  role: 'x-user-role',
  slots: 'x-entry-slots',
  address: 'x-client-address',
  signature: 'x-internal-signature',
} as const;

/** Between this installation and a proxy in front of it that asks before it forwards: about which request, and what is to be answered. */
export const proxyHeaders = {
  originalMethod: 'x-original-method',
  originalUri: 'x-original-uri',
  forwardedMethod: 'x-forwarded-method',
  forwardedUri: 'x-forwarded-uri',
  /** The request passed something that not everybody passes. */
  guarded: 'x-urr-guarded',
  location: 'x-urr-location',
  problem: 'x-urr-problem',
  status: 'x-urr-status',
} as const;

export const cookieNames = {
  access: 'urr-access',
  refresh: 'urr-refresh',
  oidcState: 'urr-oidc',
  vwrToken: 'urr-vwr-token',
} as const;

/** The rest of such a name is the id of an event, or names an account. */
export const cookiePrefixes = {
  device: 'urr-device-',
  entryToken: 'urr-entry-token-',
  vwrRequest: 'urr-vwr-request-',
  vwrToken: 'urr-vwr-token-',
  waitingTicket: 'urr-queue-ticket-',
} as const;

/** Every cookie of ours begins so. */
export const cookieMark = 'urr-';
