import type { FastifyRequest } from 'fastify';
import { callerHeaders } from '#platform/http/names.ts';

/** Repeated headers are lists, and are sent as often as they came. */
export type Headers = Record<string, string | string[] | undefined>;

/** They speak of one connection and not of the call (RFC 9110, 7.6.1). */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'http2-settings',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** Said anew by the gateway, or already answered by it. The length is that of the body which is sent, whatever the caller said. */
const replaced: ReadonlySet<string> = new Set([
  'content-length',
  'host',
  'expect',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  callerHeaders.requestId,
]);

/** The caller's headers, with the address the gateway believes in: what the outside said about it has been judged already. */
export function forwardedHeaders(request: FastifyRequest): Headers {
  const headers = copyWithout(request.raw.headers, replaced);
  headers['x-forwarded-for'] = request.ip;
  headers['x-forwarded-host'] = request.host;
  headers['x-forwarded-proto'] = request.protocol;
  headers[callerHeaders.requestId] = request.id;
  return headers;
}

export function answerHeaders(headers: Readonly<Headers>): Headers {
  return copyWithout(headers, none);
}

const none: ReadonlySet<string> = new Set();

function copyWithout(headers: Readonly<Headers>, left: ReadonlySet<string>): Headers {
  const named = namedByConnection(headers.connection);
  const copy: Headers = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || hopByHop.has(name) || left.has(name) || named.includes(name)) continue;
    copy[name] = value;
  }
  return copy;
}

function namedByConnection(connection: string | string[] | undefined): readonly string[] {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return nothing;
  return [connection]
    .flat()
    .join()
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
}

const nothing: readonly string[] = [];
