import type { EdgeKeys } from '../web-macs.ts';

/** When every case happens: 1 March 2027, 20:00 in Seoul. */
export const caseNowMs = Date.parse('2027-03-01T11:00:00.000Z');

/** In rotation: `second` still verifies. `stranger` and those of other kinds never do. */
export const caseKeys: EdgeKeys = {
  vwr: ['vwr-first-secret-0123456789-0123456789', 'vwr-second-secret-0123456789-012345678'],
  entry: ['entry-first-secret-0123456789-01234567', 'entry-second-secret-0123456789-0123456'],
  ticket: ['ticket-first-secret-0123456789-0123456', 'ticket-second-secret-0123456789-012345'],
};
export const caseUserId = '0195a000-0000-7000-8000-00000000beef';
const stranger = 'a-secret-that-nobody-here-knows-0123456';

/** A token in words. What is left out is as it should be. */
export interface TokenSpec {
  readonly kind: 'vwr' | 'entry' | 'ticket' | 'pending';
  readonly event: string;
  /** Until it ends; of a ticket, since its place was taken. */
  readonly inMs?: number;
  readonly agoMs?: number;
  readonly by?: 'first' | 'second' | 'stranger' | 'vwr' | 'entry' | 'ticket';
  /** Members of the header and claims, in place of the usual ones; undefined leaves one out. */
  readonly head?: Readonly<Record<string, unknown>>;
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly hash?: 'SHA-512' | 'none';
  readonly spoil?: 'mac' | 'claims' | 'cut' | 'no-mac' | 'longer' | 'capitals' | 'padded';
}

/** The token, as urr itself would write it. */
export async function mint(spec: TokenSpec): Promise<string> {
  const text = spec.kind === 'vwr' || spec.kind === 'entry' ? await jwt(spec, spec.kind) : await sealed(spec);
  const macAt = text.lastIndexOf('.') + 1;
  const changed = (at: number) => text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);
  const spoiled = {
    mac: changed(macAt),
    claims: changed(macAt - 3),
    cut: text.slice(0, -1),
    'no-mac': text.slice(0, macAt),
    longer: `${text}A`,
    capitals: text.toUpperCase(),
    padded: `${text}=`,
  };
  return spec.spoil === undefined ? text : spoiled[spec.spoil];
}

async function jwt(spec: TokenSpec, kind: 'vwr' | 'entry'): Promise<string> {
  const { event: sub, inMs = 600_000, head = {}, claims = {}, hash = 'SHA-256' } = spec;
  const exp = Math.floor((caseNowMs + inMs) / 1_000);
  const own =
    kind === 'vwr'
      ? { sub, uid: 'visitor-1', pos: 7, era: 3, tier: 1, jti: '3.7' }
      : { sub, uid: caseUserId, jti: `slot-${sub.slice(-4)}` };
  // What is named in the case comes first, so that it can also say the usual in another order.
  const header = { ...head, alg: 'HS256', typ: `${kind}+jwt`, ...head };
  const signed = [header, { ...own, iat: caseNowMs / 1_000 - 5, exp, ...claims }].map(encoded).join('.');
  return `${signed}.${hash === 'none' ? '' : await macOf(secretOf(spec, kind), signed, hash)}`;
}

async function sealed(spec: TokenSpec): Promise<string> {
  const { kind, event, agoMs = 60_000 } = spec;
  const takenAtMs = caseNowMs - agoMs;
  const name = kind === 'pending' ? 'uqp2' : 'uqw2';
  const fields = kind === 'pending' ? [takenAtMs] : [2 ** 45 + 7, 1, takenAtMs, 300];
  const signed = [name, event, caseUserId, ...fields].join('.');
  const key = await hmac(secretOf(spec, 'ticket'), `urr ticket ${name}`, 'SHA-256');
  const hex = Array.from(key, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${signed}.${(await macOf(hex, signed, 'SHA-256')).slice(0, 22)}`;
}

function secretOf({ by = 'first' }: TokenSpec, kind: 'vwr' | 'entry' | 'ticket'): string {
  if (by === 'stranger') return stranger;
  const secrets = by === 'first' || by === 'second' ? caseKeys[kind] : caseKeys[by];
  return secrets[by === 'second' ? 1 : 0] ?? stranger;
}

async function macOf(secret: string, text: string, hash: 'SHA-256' | 'SHA-512'): Promise<string> {
  return toBase64Url(String.fromCharCode(...(await hmac(secret, text, hash))));
}

async function hmac(secret: string, text: string, hash: string): Promise<Uint8Array> {
  const utf8 = new TextEncoder();
  const key = await crypto.subtle.importKey('raw', utf8.encode(secret), { name: 'HMAC', hash }, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, utf8.encode(text)));
}

function encoded(value: object): string {
  return toBase64Url(JSON.stringify(value));
}

function toBase64Url(binary: string): string {
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
