import type { EntryClaims } from '#modules/gateway/contract.ts';
import { readCookie } from '#platform/http/cookies.ts';
import { callerHeaders, cookiePrefixes } from '#platform/http/names.ts';
import type { JwtKind } from '#platform/tokens/jwt.ts';
import type { DenySet } from './deny-set.ts';
import type { Entry } from './entry-tokens.ts';

/** What came with a question. An entry token is looked for in it only while the store is away. */
export type SentHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The slot that a caller proves by its token alone. */
export interface ShownEntries {
  /** Null: no token, or none that the gateway would let in with. The header wins over the cookie. */
  of(eventId: string, caller: { userId: string; sent?: SentHeaders }): Entry | null;
}

export function createShownEntries(deps: {
  kind: Pick<JwtKind<EntryClaims>, 'verify'>;
  denied: Pick<DenySet, 'has'>;
}): ShownEntries {
  const { kind, denied } = deps;
  return {
    of(eventId, { userId, sent }) {
      const token = tokenIn(sent, eventId);
      const verified = token === null ? null : kind.verify(token);
      if (token === null || !verified?.ok) return null;
      const { sub, uid, jti, exp } = verified.claims;
      if (sub !== eventId || uid !== userId || denied.has(jti)) return null;
      return { token, slotEndsAtMs: exp * 1_000 };
    },
  };
}

function tokenIn(sent: SentHeaders | undefined, eventId: string): string | null {
  const header = sent?.[callerHeaders.entryToken];
  if (header !== undefined) return typeof header === 'string' ? header : null;
  const cookies = sent?.cookie;
  return typeof cookies === 'string' ? readCookie(cookies, cookiePrefixes.entryToken + eventId) : null;
}
