import fc, { type Arbitrary } from 'fast-check';
import type { SchemaObject } from '#platform/http/openapi-parts.ts';
import type { RawCall } from '#test/kit/raw-http.ts';
import type { FuzzOperation } from './operations.ts';
import { type KnownValues, schemaArbitrary } from './schema-arbitrary.ts';
import { nastyText, spoiled } from './spoil.ts';

export interface FuzzContext {
  readonly known: KnownValues;
  /** Anonymous ones come on top. */
  readonly callers: readonly FuzzCaller[];
  /** Whose accounts may go: nobody else calls what ends an account. */
  readonly leavers: readonly FuzzCaller[];
}

export interface FuzzCaller {
  readonly accessToken: string;
  /** Of entry tokens, with which a call gets behind the gate of some events. */
  readonly cookie?: string;
}

/** Calls as the document allows them, by somebody. */
export function fittingCalls(operation: FuzzOperation, context: FuzzContext): Arbitrary<RawCall> {
  const { params, query, body } = arbitrariesOf(operation, context);
  const key = operation.takesIdempotencyKey ? fc.option(fc.stringMatching(/^[!-~]{1,40}$/)) : fc.constant(null);
  return fc
    .record({ params, query, body, key, caller: callers(operation, context) })
    .map(({ key, ...parts }) => callOf(operation, { ...parts, extra: key === null ? {} : { 'idempotency-key': key } }));
}

/** The same with something wrong: in the path, the query, the body, its encoding or the headers. */
export function unfittingCalls(operation: FuzzOperation, context: FuzzContext): Arbitrary<RawCall> {
  const { params, query, body } = arbitrariesOf(operation, context);
  const caller = callers(operation, context);
  const parts = { params, query, body, caller };
  const extra = fc.record({ 'idempotency-key': fc.constantFrom('a b', 'é', 'x'.repeat(201), ',') });
  const spoilings: Arbitrary<RawCall>[] = [
    fc.record({ ...parts, params: spoiled(params) }).map((made) => callOf(operation, made)),
    fc.record({ ...parts, query: spoiled(query) }).map((made) => callOf(operation, made)),
    fc.record({ ...parts, query: fc.constant({}), search: brokenSearch }).map((made) => callOf(operation, made)),
    fc.record({ ...parts, extra }).map((made) => callOf(operation, made)),
  ];
  if (operation.body !== undefined) {
    const badBody = fc.record({ ...parts, body: spoiled(body) }).map((made) => callOf(operation, made));
    spoilings.push(badBody, badBody, badBody);
    spoilings.push(
      fc.record({ ...parts, broken: brokenText }).map(({ broken, ...made }) => ({
        ...callOf(operation, made),
        body: broken,
      })),
      fc.record({ ...parts, type: strangeType }).map(({ type, ...made }) => {
        const call = callOf(operation, made);
        return { ...call, headers: { ...call.headers, 'content-type': type } };
      }),
    );
  }
  return fc.oneof(...spoilings);
}

function arbitrariesOf({ params, query, body }: FuzzOperation, { known }: FuzzContext) {
  const of = (schema: SchemaObject) => schemaArbitrary(schema, known);
  return { params: of(params), query: of(query), body: body === undefined ? fc.constant(undefined) : of(body) };
}

function callers({ id }: FuzzOperation, context: FuzzContext): Arbitrary<FuzzCaller | null> {
  const people = id === 'deleteMe' ? context.leavers : context.callers;
  return fc.constantFrom<FuzzCaller | null>(null, { accessToken: 'not.a.token' }, ...people);
}

interface CallParts {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly caller: FuzzCaller | null;
  readonly search?: string;
  readonly extra?: Record<string, string>;
}

function callOf(operation: FuzzOperation, parts: CallParts): RawCall {
  const { params, query, body, caller, extra = {} } = parts;
  const values = asRecord(params);
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeSegment(values[name]));
  const search = parts.search ?? searchOf(asRecord(query));
  const headers: Record<string, string> = { ...extra };
  if (caller !== null) headers.authorization = `Bearer ${caller.accessToken}`;
  if (caller?.cookie !== undefined) headers.cookie = caller.cookie;
  if (body !== undefined) headers['content-type'] = 'application/json';
  return {
    method: operation.method,
    path: search === '' ? path : `${path}?${search}`,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
}

function searchOf(query: Record<string, unknown>): string {
  return Object.entries(query)
    .flatMap(([name, value]) =>
      (Array.isArray(value) ? value.slice(0, 50) : [value]).map((one) => [name, one] as const),
    )
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .join('&');
}

/** An empty segment would be another address, and a long one would be cut off by the limit for headers. */
function encodeSegment(value: unknown): string {
  const encoded = encode(value).slice(0, 2_000).replace(/%.?$/, '');
  return encoded === '' ? '-' : encoded;
}

function encode(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  // Half a surrogate pair has no UTF-8; its bytes are sent all the same.
  return text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80';
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

const brokenSearch = fc.oneof(
  fc.constantFrom('&&&', '=', '%', '%zz=1', 'limit=1&limit=2', 'limit[]=1', 'q[a]=b', '__proto__=1', 'cursor=%FF%FE'),
  fc.constantFrom(
    'q=%00',
    'q=%ED%A0%80',
    `q=${'x'.repeat(4_000)}`,
    'limit=-0',
    'limit=1e1',
    'limit=0x10',
    'limit=%205',
  ),
  nastyText.map((text) => `cursor=${encode(text)}`),
);

const brokenText = fc.oneof(
  fc.constantFrom<string | Buffer>(
    ...['', ' ', '{', '{"a":', 'null', '[]', '""', '0', 'NaN', '{"a":1}{"b":2}', '{"__proto__":{"x":1}}', '\u0000'],
    ...['['.repeat(20_000), `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`, '{"a":1,"a":2}', '\ufeff{}', "{'a':1}"],
    Buffer.from([0x22, 0xff, 0xfe, 0x22]),
    Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x7d]),
  ),
  fc.string({ maxLength: 40 }),
);

const strangeType = fc.constantFrom(
  ...['text/plain', 'application/xml', 'multipart/form-data; boundary=x', 'application/x-www-form-urlencoded'],
  ...['application/json; charset=utf-16', 'application/json,text/plain', 'json', '', '/', 'application/problem+json'],
);
