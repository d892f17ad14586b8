import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { readCookies } from '#platform/http/cookies.ts';
import { callerHeaders, cookiePrefixes } from '#platform/http/names.ts';
import type { EntryClaims, EntryDenySet, TokenVerifier } from './ports.ts';

const entryCookiesMax = 8;

/** What a good entry token is worth. */
export interface Grant {
  readonly eventId: string;
  readonly slotId: string;
}

/** The valid entry tokens that the caller holds of their own. */
export type Entries = (headers: IncomingHttpHeaders, userId: string) => readonly Grant[];

/** Beside the request, for whoever is told of the slots. */
export const grantsOf = new WeakMap<FastifyRequest, readonly Grant[]>();

/** The header wins over the cookies. A token is good for the user it was given to, whoever carries it. */
export function createEntries(options: { entryTokens: TokenVerifier<EntryClaims>; denied: EntryDenySet }): Entries {
  const { entryTokens, denied } = options;
  function grantOf(token: string, userId: string): Grant | null {
    const verified = entryTokens.verify(token);
    if (!verified.ok) return null;
    const { sub, uid, jti } = verified.claims;
    if (typeof sub !== 'string' || typeof jti !== 'string' || uid !== userId || denied.has(jti)) return null;
    return { eventId: sub, slotId: jti };
  }
  return (headers, userId) => {
    const header = headers[callerHeaders.entryToken];
    if (header !== undefined) {
      const grant = typeof header === 'string' ? grantOf(header, userId) : null;
      return grant === null ? noGrants : [grant];
    }
    if (headers.cookie === undefined) return noGrants;
    return readCookies(headers.cookie, { prefix: cookiePrefixes.entryToken, countMax: entryCookiesMax })
      .map((token) => grantOf(token, userId))
      .filter((grant) => grant !== null);
  };
}

const noGrants: readonly Grant[] = Object.freeze([]);
