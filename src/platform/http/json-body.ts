import { randomInt } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { platformErrors } from '../errors.ts';
import { provesBody, unproven } from './signed-body.ts';

/** Room for every contract there is: the largest is a hall of 100,000 seats, five levels deep. All have fixed fields, some tens each. */
export const jsonLimits = {
  depthMax: 32,
  containersMax: 250_000,
  valuesMax: 1_000_000,
  keysPerObjectMax: 1_000,
  distinctKeysMax: 200,
} as const;

/**
 * Bodies are JSON. They are looked at as bytes before they are parsed: eight megabytes of brackets, of empty lists or of
 * different keys (each new shape of an object costs V8 microseconds) block a process for seconds in `JSON.parse`, while counting them takes some milliseconds.
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
  const { depthMax, containersMax, valuesMax, keysPerObjectMax, distinctKeysMax } = limits;
  /** Of the object that is open at each depth; far below zero for a list. */
  const keys = new Int32Array(depthMax + 1);
  let depth = 0;
  let containers = 0;
  let values = 1;
  let isKeyNext = false;
  const distinctKeys = new Set<number>();
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case quote: {
        const end = endOfString(bytes, at);
        if (isKeyNext && distinctKeys.add(hashOf(bytes, at, end)).size > distinctKeysMax) return true;
        isKeyNext = false;
        at = end;
        break;
      }
      case 0x5b: // [
      case 0x7b: // {
        depth += 1;
        containers += 1;
        values += 1;
        if (depth > depthMax || containers > containersMax || values > valuesMax) return true;
        isKeyNext = bytes[at] === brace;
        keys[depth] = isKeyNext ? 1 : -valuesMax;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
        break;
      case comma:
        values += 1;
        if (values > valuesMax || countKey(keys, depth) > keysPerObjectMax) return true;
        isKeyNext = (keys[depth] ?? 0) > 0;
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

/** Two keys of one hash count as one, so nobody may know how to make them. */
const hashStart = randomInt(2 ** 31);
const hashFactor = randomInt(2 ** 31) | 1;

function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = hashStart;
  for (let at = start; at < end; at++) {
    hash = Math.imul(hash ^ (bytes[at] ?? 0), hashFactor);
    hash ^= hash >>> 15;
  }
  return hash;
}

/** Where the quote that closes it is; behind the last byte when there is none. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at;
}
