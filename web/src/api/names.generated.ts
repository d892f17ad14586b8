// Generated from src/platform/http/names.ts by `npm run generate`. Do not edit.
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

export const answerHeaders = {
  etag: 'etag',
  idempotencyKey: 'idempotency-key',
  idempotentReplayed: 'idempotent-replayed',
  rateLimit: 'ratelimit-limit',
  rateRemaining: 'ratelimit-remaining',
  rateReset: 'ratelimit-reset',
  requestId: 'x-request-id',
  retryAfter: 'retry-after',
} as const;
