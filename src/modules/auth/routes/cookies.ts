import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type CookieAttributes,
  eraseCookie,
  readCookie,
  readNamedCookies,
  writeCookie,
} from '#platform/http/cookies.ts';
import { cookieNames, cookiePrefixes } from '#platform/http/names.ts';
import { accountMark, deviceTtlSeconds } from '../service/devices.ts';
import { oidcStateTtlSeconds } from '../service/oidc-sign-in.ts';
import type { Session } from '../service/sessions.ts';

/** The cookies of the module: who may read them (no script), where they are sent, and when cross-site (a link: Lax; never: Strict). */
export interface SessionCookies {
  set(reply: FastifyReply, session: Session): void;
  clear(reply: FastifyReply): void;
  setOidcState(reply: FastifyReply, value: string): void;
  clearOidcState(reply: FastifyReply): void;
  /** Beside the session of a sign-in: this browser has proved to be the owner's. */
  setDevice(reply: FastifyReply, device: { email: string; token: string }): void;
  clearDevice(reply: FastifyReply, email: string): void;
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
  // Sent with sign-ins and nothing else: no other request grows by it, and no other site can make one.
  const device = { ...base, sameSite: 'Strict', path: '/api/auth/login' } as const;
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
    clearDevice: (reply, email) => eraseCookie(reply, { ...device, name: deviceCookieName(email) }),
    setDevice(reply, { email, token }) {
      const name = deviceCookieName(email);
      const others = sentDeviceCookies(reply.request).filter((other) => other !== name);
      // Browsers send the oldest first.
      for (const surplus of others.slice(0, Math.max(0, others.length + 1 - devicesMax)).slice(0, erasedMax))
        eraseCookie(reply, { ...device, name: surplus });
      writeCookie(reply, { ...device, name, value: token, maxAgeSeconds: deviceTtlSeconds });
    },
  };
}

type NamedCookie = CookieAttributes & { readonly name: string };

/** Accounts that one browser is remembered for. */
const devicesMax = 4;
/** In one answer, whose head has a limit. The next sign-in erases more. */
const erasedMax = 16;
/** Cookies of one name that are tried. A browser sends several when somebody planted one for another path. */
const sameNameMax = 4;
const deviceName = new RegExp(`(?:^|;) *(${cookiePrefixes.device}[0-9a-f]{1,64})=`, 'g');

function deviceCookieName(email: string): string {
  return cookiePrefixes.device + accountMark(email);
}

function sentDeviceCookies({ headers }: Pick<FastifyRequest, 'headers'>): string[] {
  return [...new Set([...(headers.cookie ?? '').matchAll(deviceName)].map(([, name = '']) => name))];
}

/** All that the browser sent for this account. */
export function sentDeviceTokens({ headers }: Pick<FastifyRequest, 'headers'>, email: string): string[] {
  const name = deviceCookieName(email);
  return readNamedCookies(headers.cookie ?? '', { prefix: name, countMax: sameNameMax })
    .filter((cookie) => cookie.name === name)
    .map(({ value }) => value);
}

/** What the browser sent under this name. */
export function sentCookie({ headers }: Pick<FastifyRequest, 'headers'>, name: string): string | undefined {
  return headers.cookie === undefined ? undefined : (readCookie(headers.cookie, name) ?? undefined);
}
