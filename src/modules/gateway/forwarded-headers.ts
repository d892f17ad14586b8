import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';

/** They speak of one connection and not of the call (RFC 9110, 7.6.1). */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** Said anew by the gateway, or already answered by it. */
const replaced = new Set([
  'host',
  'expect',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-request-id',
]);

/** The caller's headers, with the address the gateway believes in: what the outside said about it has been judged already. */
export function forwardedHeaders(request: FastifyRequest): OutgoingHttpHeaders {
  const headers = copyWithout(request.raw.headers, replaced);
  headers['x-forwarded-for'] = request.ip;
  headers['x-forwarded-host'] = request.host;
  headers['x-forwarded-proto'] = request.protocol;
  headers['x-request-id'] = request.id;
  return headers;
}

export function answerHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return copyWithout(headers, none);
}

const none: ReadonlySet<string> = new Set();

function copyWithout(headers: IncomingHttpHeaders, left: ReadonlySet<string>): OutgoingHttpHeaders {
  const named = headers.connection?.toLowerCase().split(/\s*,\s*/) ?? [];
  const copy: OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || hopByHop.has(name) || left.has(name) || named.includes(name)) continue;
    copy[name] = value;
  }
  return copy;
}
