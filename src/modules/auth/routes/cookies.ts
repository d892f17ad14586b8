import type { FastifyReply, FastifyRequest } from 'fastify';
import { type CookieAttributes, eraseCookie, readCookie, writeCookie } from '#platform/http/cookies.ts';
import { cookieNames } from '#platform/http/names.ts';
import { oidcStateTtlSeconds } from '../service/oidc-sign-in.ts';
import type { Session } from '../service/sessions.ts';

/** The cookies of the module: who may read them (no script), where they are sent, and when cross-site (a link: Lax; never: Strict). */
export interface SessionCookies {
  set(reply: FastifyReply, session: Session): void;
  clear(reply: FastifyReply): void;
  setOidcState(reply: FastifyReply, value: string): void;
  clearOidcState(reply: FastifyReply): void;
}

export function createSessionCookies({ secure, now }: { secure: boolean; now: () => number }): SessionCookies {
  const base = { httpOnly: true, secure } as const;
  const access = { ...base, name: cookieNames.access, sameSite: 'Lax', path: '/' } satisfies NamedCookie;
  const refresh = { ...base, name: cookieNames.refresh, sameSite: 'Strict', path: '/api/auth' } satisfies NamedCookie;
  // Lax, because the provider sends the browser back with a link from its own site.
  const oidcState = {
    ...base,
    name: cookieNames.oidcState,
    sameSite: 'Lax',
    path: '/api/auth/oidc',
  } satisfies NamedCookie;
  const secondsUntil = (ms: number) => (ms - now()) / 1000;
  return {
    set(reply, session) {
      const { accessToken, accessExpiresAtMs, refreshToken, refreshExpiresAtMs } = session;
      writeCookie(reply, { ...access, value: accessToken, maxAgeSeconds: secondsUntil(accessExpiresAtMs) });
      writeCookie(reply, { ...refresh, value: refreshToken, maxAgeSeconds: secondsUntil(refreshExpiresAtMs) });
    },
    clear(reply) {
      eraseCookie(reply, access);
      eraseCookie(reply, refresh);
    },
    setOidcState: (reply, value) => writeCookie(reply, { ...oidcState, value, maxAgeSeconds: oidcStateTtlSeconds }),
    clearOidcState: (reply) => eraseCookie(reply, oidcState),
  };
}

type NamedCookie = CookieAttributes & { readonly name: string };

/** What the browser sent under this name. */
export function sentCookie({ headers }: Pick<FastifyRequest, 'headers'>, name: string): string | undefined {
  return headers.cookie === undefined ? undefined : (readCookie(headers.cookie, name) ?? undefined);
}
