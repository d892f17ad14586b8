import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '#platform/clock.ts';
import { readCookie } from '#platform/http/cookies.ts';
import { type Identity, isRole } from '#platform/http/identity.ts';
import { cookieNames } from '#platform/http/names.ts';
import type { AccessClaims, TokenVerifier } from './contract.ts';
import { createRecent } from './domain/recent.ts';

/**
 * The token of a call; null when there is none. An Authorization header wins over the cookie: it was put there on purpose,
 * while a browser adds the cookie by itself. A header that is no bearer token counts as a bad token.
 */
export function credentialOf({ authorization, cookie }: IncomingHttpHeaders): string | null {
  if (authorization !== undefined) return bearer.test(authorization) ? authorization.slice(bearerLength).trim() : '';
  return cookie === undefined ? null : readCookie(cookie, cookieNames.access);
}

const bearer = /^bearer /i;
const bearerLength = 'bearer '.length;

/**
 * Whether a token says that it is of this user, good or not. Where somebody proves otherwise to be that user, a good one adds
 * nothing and a bad one takes nothing away, so verifying it would be work for nothing.
 */
export function namesUser(token: string, userId: string): boolean {
  const from = token.indexOf('.') + 1;
  const to = token.indexOf('.', from);
  if (to === -1) return false;
  return Buffer.from(token.slice(from, to), 'base64url').toString('latin1').includes(`"sub":"${userId}"`);
}

export type Identify = (token: string) => Identity | null;

const rememberedMax = 20_000;

/**
 * Verifies access tokens and remembers the good ones until they expire, which saves an HMAC per request. Bad ones are
 * not remembered, so nobody can push the good ones out with rubbish.
 */
export function createIdentify(options: { accessTokens: TokenVerifier<AccessClaims>; clock: Clock }): Identify {
  const { accessTokens, clock } = options;
  const remembered = createRecent<{ identity: Identity; expiresAtMs: number }>(rememberedMax);
  return (token) => {
    const known = remembered.get(token);
    if (known !== undefined) {
      if (clock.now() < known.expiresAtMs) return known.identity;
      remembered.delete(token);
      return null;
    }
    const verified = accessTokens.verify(token);
    if (!verified.ok) return null;
    const { sub, email, role, exp } = verified.claims;
    if (typeof sub !== 'string' || typeof email !== 'string' || typeof role !== 'string' || !isRole(role)) return null;
    const identity: Identity = { userId: sub, email, role };
    remembered.set(token, { identity, expiresAtMs: exp * 1000 });
    return identity;
  };
}
