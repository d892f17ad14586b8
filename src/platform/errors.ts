/**
 * Expected outcomes are return values; faults are thrown. A fault has a code from a table, a public message and a
 * cause. Each module declares its own table with `defineErrors`; the HTTP status and the RFC 9457 body are decided
 * in one handler (`http/problem.ts`), and docs/reference/errors.md is generated from the tables.
 */
export interface ErrorDefinition {
  readonly status: number;
  /** Short and fixed: the `title` of the problem document. */
  readonly title: string;
  /** What happened and what the caller can do about it, for the reference. */
  readonly help: string;
  /** Sent as Retry-After when the thrower names no other. Every 429 and 503 has one. */
  readonly retryAfterSeconds?: number;
}

export type ErrorTable = Readonly<Record<string, ErrorDefinition>>;

/** The members that every problem document has keep their meaning: a `status` of something else would hide that of the answer. */
export type ProblemExtensions = Readonly<Record<string, unknown>> & {
  readonly [Member in 'type' | 'title' | 'status' | 'code' | 'detail' | 'requestId']?: never;
};

export interface FaultOptions {
  /** Public sentence about this very occurrence. Never put internals here. */
  readonly detail?: string;
  /** Further public members of the problem document, e.g. `{ redirectTo }` or `{ errors: [...] }`. */
  readonly extensions?: ProblemExtensions;
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
  /** The log has it already: it is not logged at every occurrence. */
  readonly isKnown?: boolean;
}

const serverErrors = 500;

export class Fault extends Error {
  readonly code: string;
  readonly definition: ErrorDefinition;
  readonly detail: string | undefined;
  readonly extensions: ProblemExtensions;
  readonly retryAfterSeconds: number | undefined;
  readonly isKnown: boolean;

  constructor(code: string, definition: ErrorDefinition, options: FaultOptions = {}) {
    const framesMax = Error.stackTraceLimit;
    // A refusal is an answer. Nobody reads where it was made, and finding that out took a fortieth of a refusal's time.
    if (definition.status < serverErrors) Error.stackTraceLimit = 0;
    super(options.detail ?? definition.title, { cause: options.cause });
    Error.stackTraceLimit = framesMax;
    this.name = 'Fault';
    this.code = code;
    this.definition = definition;
    this.detail = options.detail;
    this.extensions = options.extensions ?? {};
    this.retryAfterSeconds = options.retryAfterSeconds ?? definition.retryAfterSeconds;
    this.isKnown = options.isKnown ?? false;
  }
}

export interface ErrorFactory<Table extends ErrorTable> {
  readonly table: Table;
  fault(code: keyof Table & string, options?: FaultOptions): Fault;
}

export function defineErrors<const Table extends ErrorTable>(table: Table): ErrorFactory<Table> {
  return {
    table,
    fault(code, options) {
      const definition = table[code];
      if (definition === undefined) throw new Error(`no error code ${code}`);
      return new Fault(code, definition, options);
    },
  };
}

export function isFault(error: unknown, code?: string): error is Fault {
  return error instanceof Fault && (code === undefined || error.code === code);
}

/** What any route may answer, whatever the module. */
export const platformErrors = defineErrors({
  VALIDATION_FAILED: {
    status: 400,
    title: 'The request is not valid',
    help: 'One or more fields are missing, unknown or of the wrong form; `errors` names each. Correct them and send again.',
  },
  MALFORMED_BODY: {
    status: 400,
    title: 'The body is not valid JSON',
    help: 'The body could not be parsed. Send one JSON document in UTF-8 with Content-Type application/json.',
  },
  BODY_TOO_COMPLEX: {
    status: 400,
    title: 'The body has too many levels, fields or values',
    help: 'The body is nested deeper than 32 levels, holds more lists, objects or values than any call needs, an object with more than 1,000 fields, or more than 200 different names of fields. Send a simpler body.',
  },
  MALFORMED_REQUEST: {
    status: 400,
    title: 'The request could be read in two ways',
    help: 'Its headers leave open where the body ends or what belongs to the connection; `detail` says which. A read has no body, a body has one length in plain digits or is chunked and nothing else, and `Connection` names no other headers.',
  },
  MALFORMED_PATH: {
    status: 400,
    title: 'The path is not valid',
    help: 'The path holds `..`, `//`, an encoded slash, a broken escape or a part that is too long.',
  },
  UNAUTHENTICATED: {
    status: 401,
    title: 'Sign in first',
    help: 'The call needs a user. There was no access token, or it was expired, forged or of another kind. Refresh it or sign in.',
  },
  FORBIDDEN: {
    status: 403,
    title: 'Not allowed',
    help: 'You are signed in, but your role does not allow this, or the thing belongs to somebody else.',
  },
  CROSS_SITE_REFUSED: {
    status: 403,
    title: 'The call came from another site',
    help: 'A call that changes something and carries cookies must come from this site (`Origin` or `Sec-Fetch-Site`).',
  },
  NOT_FOUND: { status: 404, title: 'Not found', help: 'There is nothing at this address, or not for you.' },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: 'Method not allowed',
    help: 'The address exists, but not for this method. `Allow` lists the methods that work.',
  },
  REQUEST_TIMEOUT: {
    status: 408,
    title: 'The request took too long to arrive',
    help: 'Headers or body were not received in time. Send again.',
  },
  CONFLICT: {
    status: 409,
    title: 'Somebody was faster',
    help: 'The thing changed since you read it. Read it again and decide anew.',
  },
  IDEMPOTENCY_IN_FLIGHT: {
    status: 409,
    title: 'The same request is still being worked on',
    help: 'A request with this Idempotency-Key has not finished. Wait for Retry-After and send it again.',
    retryAfterSeconds: 1,
  },
  PAYLOAD_TOO_LARGE: { status: 413, title: 'The body is too large', help: 'Send a smaller body.' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    title: 'Unsupported content type',
    help: 'Bodies are JSON: send Content-Type: application/json.',
  },
  IDEMPOTENCY_MISMATCH: {
    status: 422,
    title: 'The Idempotency-Key was used for another request',
    help: 'This key was sent before with another body. Use a new key for a new intent.',
  },
  RATE_LIMITED: {
    status: 429,
    title: 'Too many requests',
    help: 'Slow down and try again after Retry-After seconds. `RateLimit-*` headers show the budget.',
    retryAfterSeconds: 1,
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    title: 'The headers are too large',
    help: 'Send fewer or smaller headers and cookies.',
  },
  INTERNAL: {
    status: 500,
    title: 'Something went wrong here',
    help: 'A fault on our side. `requestId` finds it in the log. Sending the request again with the same Idempotency-Key is safe.',
  },
  DATABASE_UNAVAILABLE: {
    status: 503,
    title: 'The database is away',
    help: 'PostgreSQL cannot be reached at the moment. Nothing was changed, unless `detail` says that the change may have taken effect. Try again after Retry-After, with the same Idempotency-Key where the route takes one.',
    retryAfterSeconds: 2,
  },
  STORE_UNAVAILABLE: {
    status: 503,
    title: 'The store is away',
    help: 'Redis cannot be reached at the moment, or did not answer in time. Try again after Retry-After: repeating is safe.',
    retryAfterSeconds: 2,
  },
  BUS_UNAVAILABLE: {
    status: 503,
    title: 'The event bus is away',
    help: 'The broker did not confirm the message in time. Try again after Retry-After: repeating is safe.',
    retryAfterSeconds: 2,
  },
  ROLE_UNAVAILABLE: {
    status: 503,
    title: 'This part of the service is away',
    help: 'The role behind this address did not answer in time or cannot be reached. Try again after Retry-After.',
    retryAfterSeconds: 2,
  },
  SHUTTING_DOWN: {
    status: 503,
    title: 'This process is stopping',
    help: 'The process is shutting down. Send the request again: another one will answer.',
    retryAfterSeconds: 1,
  },
});
