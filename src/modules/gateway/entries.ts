import type { IncomingHttpHeaders } from 'node:http';
import { readCookies } from '#platform/http/cookies.ts';
import { noEntries } from '#platform/http/entry.ts';
import type { EntryClaims, EntryDenySet, TokenVerifier } from './ports.ts';

const entryHeader = 'x-queue-entry-token';
const entryCookiePrefix = 'urr-entry-token-';
const entryCookiesMax = 8;

/** Events for which the caller holds a valid entry token of their own. */
export type Entries = (headers: IncomingHttpHeaders, userId: string) => readonly string[];

/** The header wins over the cookies. A token is good for the user it was given to, whoever carries it. */
export function createEntries(options: { entryTokens: TokenVerifier<EntryClaims>; denied: EntryDenySet }): Entries {
  const { entryTokens, denied } = options;
  function eventOf(token: string, userId: string): string | null {
    const verified = entryTokens.verify(token);
    if (!verified.ok) return null;
    const { sub, uid, jti } = verified.claims;
    if (typeof sub !== 'string' || typeof jti !== 'string' || uid !== userId || denied.has(jti)) return null;
    return sub;
  }
  return (headers, userId) => {
    const header = headers[entryHeader];
    if (header !== undefined) {
      const eventId = typeof header === 'string' ? eventOf(header, userId) : null;
      return eventId === null ? noEntries : [eventId];
    }
    if (headers.cookie === undefined) return noEntries;
    return readCookies(headers.cookie, { prefix: entryCookiePrefix, countMax: entryCookiesMax })
      .map((token) => eventOf(token, userId))
      .filter((eventId) => eventId !== null);
  };
}
