import type { FastifyInstance } from 'fastify';
import { platformErrors } from '../errors.ts';
import { provesBody, unproven } from './signed-body.ts';

/** Room for every contract there is: the largest is a hall of 100,000 seats, five levels deep, and none has a hundred fields. */
export const jsonLimits = {
  depthMax: 32,
  containersMax: 250_000,
  valuesMax: 1_000_000,
  keysPerObjectMax: 1_000,
} as const;

/**
 * Bodies are JSON. They are looked at as bytes before they are parsed: eight megabytes of brackets, of empty lists or of keys block a
 * process for seconds in `JSON.parse`, while counting them takes some milliseconds.
 */
export function parseJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const bytes = body as Buffer;
    if (!provesBody(request.raw, bytes)) return done(unproven());
    // Many clients say "JSON" on every call. Nothing at all is no body; a route that needs one says so itself.
    if (bytes.length === 0) return done(null, undefined);
    if (isTooComplex(bytes)) return done(platformErrors.fault('BODY_TOO_COMPLEX'));
    parse(request, bytes.toString('utf8'), done);
  });
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const brace = 0x7b;

/**
 * One pass over the bytes, outside of strings. Whether it is JSON at all is left to the parser, which stops at the first
 * byte that is not; up to there the counts are right. In UTF-8 no part of a longer character looks like one of these.
 */
export function isTooComplex(
  bytes: Uint8Array,
  limits: Readonly<Record<keyof typeof jsonLimits, number>> = jsonLimits,
) {
  const { depthMax, containersMax, valuesMax, keysPerObjectMax } = limits;
  /** Of the object that is open at each depth; far below zero for a list. */
  const keys = new Int32Array(depthMax + 1);
  let depth = 0;
  let containers = 0;
  let values = 1;
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case quote:
        at = endOfString(bytes, at);
        break;
      case 0x5b: // [
      case 0x7b: // {
        depth += 1;
        containers += 1;
        values += 1;
        if (depth > depthMax || containers > containersMax || values > valuesMax) return true;
        keys[depth] = bytes[at] === brace ? 1 : -valuesMax;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
        break;
      case comma:
        values += 1;
        if (values > valuesMax || countKey(keys, depth) > keysPerObjectMax) return true;
        break;
    }
  }
  return false;
}

/** Outside of everything there is nothing to count: that is no JSON. */
function countKey(keys: Int32Array, depth: number): number {
  if (depth <= 0) return 0;
  const count = (keys[depth] ?? 0) + 1;
  keys[depth] = count;
  return count;
}

/** Where the quote that closes it is; behind the last byte when there is none. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at;
}
