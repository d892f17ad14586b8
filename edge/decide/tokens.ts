import type { MacCheck } from './steps.ts';

/** What a token claims, and what has to be checked before any of it is believed. */
export interface Claimed<Claims> {
  readonly claims: Claims;
  readonly check: MacCheck;
}

export interface JwtClaims {
  readonly sub?: unknown;
  readonly exp?: unknown;
  readonly tier?: unknown;
  readonly jti?: unknown;
}

export interface TicketClaims {
  readonly eventId: string;
  readonly takenAtMs: number;
}

const jwtLengthMax = 4_096;
const ticketLengthMax = 1_024;

/** A token of one kind: HS256, and its own `typ`. Null: it is none, whatever its MAC. */
export function readJwt(text: string, kind: 'vwr' | 'entry'): Claimed<JwtClaims> | null {
  if (text.length > jwtLengthMax) return null;
  const headEnd = text.indexOf('.');
  const end = text.lastIndexOf('.');
  if (headEnd <= 0 || end <= headEnd || text.indexOf('.', headEnd + 1) !== end) return null;
  if (!isHeadOf(text.slice(0, headEnd), typOf[kind])) return null;
  const claims = parsed(text.slice(headEnd + 1, end));
  return claims === null ? null : { claims, check: { kind, signed: text.slice(0, end), mac: text.slice(end + 1) } };
}

const typOf = { vwr: 'vwr+jwt', entry: 'entry+jwt' } as const;

/** As urr writes it, to the letter; else in other words, as a stranger may. */
function isHeadOf(head: string, typ: string): boolean {
  if (head === ownHeads.get(typ)) return true;
  const said = parsed(head) as { alg?: unknown; typ?: unknown; crit?: unknown } | null;
  return said !== null && said.alg === 'HS256' && said.typ === typ && said.crit === undefined;
}

const ownHeads = new Map(
  Object.values(typOf).map((typ) => [typ as string, toBase64Url(JSON.stringify({ alg: 'HS256', typ }))]),
);

function parsed(part: string): Record<string, unknown> | null {
  try {
    // Letters beyond ASCII come out as other letters, which no claim that is read here contains.
    const value: unknown = JSON.parse(atob(part.replaceAll('-', '+').replaceAll('_', '/')));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

function toBase64Url(text: string): string {
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** `uqw2`: event, user, order, epoch, when the place was taken, the wait that was said. One that is only pending is of another kind. */
const ticketForm = /^uqw2\.([\w-]+)\.[^.]*\.\d*\.\d*\.(\d{1,15})\.\d*\.([\w-]{22})$/;

export function readTicket(text: string): Claimed<TicketClaims> | null {
  if (text.length > ticketLengthMax) return null;
  const [, eventId, takenAt, mac] = ticketForm.exec(text) ?? [];
  if (eventId === undefined || takenAt === undefined || mac === undefined) return null;
  const signed = text.slice(0, text.length - mac.length - 1);
  return { claims: { eventId, takenAtMs: Number(takenAt) }, check: { kind: 'ticket', signed, mac } };
}
