import type { RouteContract } from './contract.ts';
import { type CallerHeader, callerHeaders, cookieNames, cookiePrefixes } from './names.ts';

/** The part of a JSON Schema that readers of the document look at. */
export interface SchemaObject {
  readonly [keyword: string]: unknown;
}

export interface ParameterObject {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: SchemaObject;
}

export interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, { readonly schema: SchemaObject }>>;
}

/** Refusals that many operations share are written once, under `components.responses`. */
export interface ResponseRef {
  readonly $ref: string;
}

export interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  /** Who may call: `public`, `user`, or the roles. */
  readonly 'x-urr-access': RouteContract['access'];
  /** Which token bucket counts it. */
  readonly 'x-urr-rate': RouteContract['rate'];
  readonly parameters: readonly ParameterObject[];
  readonly requestBody?: { readonly required: true; readonly content: ResponseObject['content'] };
  readonly responses: Readonly<Record<string, ResponseObject | ResponseRef>>;
}

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

export interface OpenApiObject {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Partial<Record<Method, OperationObject>>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, SchemaObject>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly securitySchemes: Readonly<Record<string, unknown>>;
  };
}

export const about =
  'Times are ISO 8601 in UTC, money is an integer of KRW, ids are UUIDv7, lists are `{ items, nextCursor }`. ' +
  'A refusal is a problem document (RFC 9457) whose `code` is stable; every code is explained at /docs/errors.';

export const statusWords: Readonly<Record<string, string>> = {
  200: 'Done.',
  201: 'Made.',
  202: 'Taken; it will be done.',
  204: 'Done; there is nothing to say.',
  302: 'Go to `Location`.',
  303: 'Go to `Location`.',
};

export const retryAfter = {
  description: 'Seconds to wait before the next try.',
  schema: { type: 'integer', minimum: 1 },
};

export function headerParameter(name: CallerHeader): ParameterObject {
  const known = headerWords[name];
  if (known === undefined) throw new Error(`OpenAPI has no words for the header ${name}`);
  const [description, lengthMax] = known;
  const schema = { type: 'string', minLength: 1, maxLength: lengthMax };
  return { name, in: 'header', required: false, description, schema };
}

/** What a header says, and how long it may be. */
const headerWords: Partial<Record<CallerHeader, readonly [description: string, lengthMax: number]>> = {
  [callerHeaders.idempotencyKey]: ['One key per intent: a repeat with the same body gets the first answer again.', 200],
  [callerHeaders.waitingTicket]: [
    `The waiting ticket. The cookie \`${cookiePrefixes.waitingTicket}{eventId}\` serves as well.`,
    1_024,
  ],
  [callerHeaders.entryToken]: [
    `The entry token. The cookie \`${cookiePrefixes.entryToken}{eventId}\` serves as well.`,
    2_048,
  ],
  [callerHeaders.lastEventId]: [
    'Sent by browsers that come back to a stream: the id of the last message that was shown.',
    20,
  ],
};

export const problemSchema: SchemaObject = {
  type: 'object',
  description: 'A refusal, RFC 9457.',
  required: ['type', 'title', 'status', 'code', 'requestId'],
  properties: {
    type: { type: 'string', description: 'Where the code is explained.' },
    title: { type: 'string' },
    status: { type: 'integer' },
    code: { type: 'string', description: 'Stable; decide by this.' },
    detail: { type: 'string', description: 'About this very occurrence.' },
    requestId: { type: 'string', description: 'Finds the request in the log.' },
    errors: {
      type: 'array',
      description: 'Each field that was refused.',
      items: {
        type: 'object',
        required: ['field', 'message'],
        properties: { field: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
};

export const problemRef: SchemaObject = { $ref: '#/components/schemas/Problem' };

export const otherProblem: ResponseObject = { description: 'Any other refusal.', content: problemContent(problemRef) };

export const securitySchemes = {
  accessCookie: { type: 'apiKey', in: 'cookie', name: cookieNames.access, description: 'Set by signing in.' },
  bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: '`accessToken` of the sign-in.' },
  entryToken: {
    type: 'apiKey',
    in: 'header',
    name: callerHeaders.entryToken,
    description: `The right to shop for one event, given by its queue. The cookie \`${cookiePrefixes.entryToken}{eventId}\` serves as well.`,
  },
};

export function problemContent(schema: SchemaObject): NonNullable<ResponseObject['content']> {
  return { 'application/problem+json': { schema } };
}
