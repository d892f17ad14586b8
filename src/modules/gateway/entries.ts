import type { IncomingHttpHeaders } from 'node:http';
import { readCookies } from '#platform/http/cookies.ts';
import type { EntrySlot } from '#platform/http/identity.ts';
import { callerHeaders, cookiePrefixes } from '#platform/http/names.ts';
import type { EntryClaims, EntryDenySet, TokenVerifier } from './contract.ts';

const entryCookiesMax = 8;

/** The slots that valid entry tokens of this user prove. */
export type Entries = (headers: IncomingHttpHeaders, userId: string) => readonly EntrySlot[];

/** The header wins over the cookies. A token is good for the user it was given to, no matter who carries it. */
export function createEntries(options: { entryTokens: TokenVerifier<EntryClaims>; denied: EntryDenySet }): Entries {
  const { entryTokens, denied } = options;
  function slotOf(token: string, userId: string): EntrySlot | null {
    const verified = entryTokens.verify(token);
    if (!verified.ok) return null;
    const { sub, uid, jti } = verified.claims;
    if (typeof sub !== 'string' || typeof jti !== 'string' || uid !== userId || denied.has(jti)) return null;
    return { eventId: sub, slotId: jti };
  }
  return (headers, userId) => {
    const header = headers[callerHeaders.entryToken];
    if (header !== undefined) {
      const slot = typeof header === 'string' ? slotOf(header, userId) : null;
      return slot === null ? noSlots : [slot];
    }
    if (headers.cookie === undefined) return noSlots;
    return readCookies(headers.cookie, { prefix: cookiePrefixes.entryToken, countMax: entryCookiesMax })
      .map((token) => slotOf(token, userId))
      .filter((slot) => slot !== null);
  };
}

const noSlots: readonly EntrySlot[] = Object.freeze([]);
