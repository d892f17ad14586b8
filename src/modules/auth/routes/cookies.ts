import '@fastify/cookie';
import type { FastifyReply } from 'fastify';
import { oidcStateTtlSeconds } from '../service/oidc-sign-in.ts';
import type { Session } from '../service/sessions.ts';

export const accessCookie = 'urr-access';
export const refreshCookie = 'urr-refresh';
export const oidcStateCookie = 'urr-oidc';

/** The cookies of the module: who may read them (no script), where they are sent, and when cross-site (a link: Lax; never: Strict). */
export interface SessionCookies {
  set(reply: FastifyReply, session: Session): void;
  clear(reply: FastifyReply): void;
  setOidcState(reply: FastifyReply, value: string): void;
  clearOidcState(reply: FastifyReply): void;
}

export function createSessionCookies({ secure, now }: { secure: boolean; now: () => number }): SessionCookies {
  const base = { httpOnly: true, secure } as const;
  const access = { ...base, sameSite: 'lax', path: '/' } as const;
  const refresh = { ...base, sameSite: 'strict', path: '/api/auth' } as const;
  // Lax, because the provider sends the browser back with a link from its own site.
  const oidcState = { ...base, sameSite: 'lax', path: '/api/auth/oidc' } as const;
  const secondsUntil = (ms: number) => Math.max(0, Math.floor((ms - now()) / 1000));
  return {
    set(reply, session) {
      reply.setCookie(accessCookie, session.accessToken, {
        ...access,
        maxAge: secondsUntil(session.accessExpiresAtMs),
      });
      reply.setCookie(refreshCookie, session.refreshToken, {
        ...refresh,
        maxAge: secondsUntil(session.refreshExpiresAtMs),
      });
    },
    clear(reply) {
      reply.clearCookie(accessCookie, access);
      reply.clearCookie(refreshCookie, refresh);
    },
    setOidcState: (reply, value) =>
      void reply.setCookie(oidcStateCookie, value, { ...oidcState, maxAge: oidcStateTtlSeconds }),
    clearOidcState: (reply) => void reply.clearCookie(oidcStateCookie, oidcState),
  };
}
