import type { FastifyReply } from 'fastify';

export interface CookieAttributes {
  readonly path: string;
  readonly httpOnly: boolean;
  readonly secure: boolean;
  readonly sameSite: 'Lax' | 'Strict';
}

/** Adds a Set-Cookie header; several of them stay apart. */
export function writeCookie(
  reply: FastifyReply,
  cookie: CookieAttributes & { readonly name: string; readonly value: string; readonly maxAgeSeconds: number },
): void {
  const parts = [
    `${cookie.name}=${encodeURIComponent(cookie.value)}`,
    `Max-Age=${Math.max(0, Math.floor(cookie.maxAgeSeconds))}`,
    `Path=${cookie.path}`,
    `SameSite=${cookie.sameSite}`,
  ];
  if (cookie.httpOnly) parts.push('HttpOnly');
  if (cookie.secure) parts.push('Secure');
  reply.header('set-cookie', parts.join('; '));
}

export function eraseCookie(reply: FastifyReply, cookie: CookieAttributes & { readonly name: string }): void {
  writeCookie(reply, { ...cookie, value: '', maxAgeSeconds: 0 });
}

/**
 * One cookie out of a Cookie header. The hot path needs one or two of them, and cutting the whole header into an object
 * costs more than all other filters together. The first of several cookies of one name counts (RFC 6265: the most specific).
 */
export function readCookie(header: string, name: string): string | null {
  let from = 0;
  while (from < header.length) {
    const at = header.indexOf(name, from);
    if (at === -1) return null;
    const end = at + name.length;
    if (header.charCodeAt(end) === equalsSign && startsCookie(header, at)) return valueAt(header, end + 1);
    from = end;
  }
  return null;
}

/** Values of all cookies whose names begin so, at most `countMax` of them. */
export function readCookies(header: string, options: { prefix: string; countMax: number }): string[] {
  return readNamedCookies(header, options).map(({ value }) => value);
}

/** The same with their names; one name may come several times. */
export function readNamedCookies(header: string, options: { prefix: string; countMax: number }): NamedCookie[] {
  const cookies: NamedCookie[] = [];
  let from = 0;
  while (cookies.length < options.countMax) {
    const at = header.indexOf(options.prefix, from);
    if (at === -1) break;
    from = at + options.prefix.length;
    if (!startsCookie(header, at)) continue;
    const equals = header.indexOf('=', from);
    if (equals === -1) break;
    cookies.push({ name: header.slice(at, equals), value: valueAt(header, equals + 1) });
  }
  return cookies;
}

export interface NamedCookie {
  readonly name: string;
  readonly value: string;
}

const equalsSign = 61;
const semicolon = 59;
const space = 32;

function startsCookie(header: string, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && header.charCodeAt(before) === space) before -= 1;
  return before < 0 || header.charCodeAt(before) === semicolon;
}

function valueAt(header: string, from: number): string {
  const end = header.indexOf(';', from);
  const value = (end === -1 ? header.slice(from) : header.slice(from, end)).trim();
  return value.length >= 2 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value;
}
