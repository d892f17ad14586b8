import { edgeCookies, edgeHeaders } from '../names.ts';
import { type ActiveRooms, wholeSiteId } from '../rooms.ts';
import { cookieValues, cookieValuesBehind } from './cookies.ts';
import type { MacKind, Steps } from './steps.ts';
import { readJwt, readTicket } from './tokens.ts';

/** Names in small letters, as Node has them. */
export type EdgeHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Shown and found good. */
export interface Pass {
  readonly by: MacKind;
  readonly roomId: string;
  /** Of a tier-1 token its era and number. */
  readonly id: string;
  readonly untilMs: number;
}

/** Of passes that were found good, by their whole text. */
export interface PassMemo {
  get(text: string): Pass | undefined;
  set(text: string, pass: Pass): void;
}

export interface Shown {
  readonly headers: EdgeHeaders;
  readonly nowMs: number;
  /** Belongs to one set of secrets: with others it has to be begun anew. */
  readonly memo?: PassMemo | undefined;
}

const ticketGoodMs = 86_400_000;
/** Of one name. Each wrong one costs a MAC. */
const cookiesReadMax = 4;

/** Any one of the passes to this room; null: none was shown that is good. */
export function* findPass(shown: Shown, roomId: string): Steps<Pass | null> {
  const tier1 = yield* firstGood(shown, 'vwr', roomId, tier1Texts(shown.headers, roomId));
  // A room over the whole site has no queue behind it whose papers would count.
  if (tier1 !== null || roomId === wholeSiteId) return tier1;
  const ticket = yield* firstGood(shown, 'ticket', roomId, textsOf(shown.headers, places.ticket, roomId));
  return ticket ?? (yield* findEntry(shown, roomId));
}

export function* findEntry(shown: Shown, eventId: string): Steps<Pass | null> {
  return yield* firstGood(shown, 'entry', eventId, textsOf(shown.headers, places.entry, eventId));
}

/** The first good tier-1 token of any room that is on: as whom a caller counts who is not signed in. */
export function* findAnyPass(shown: Shown, rooms: ActiveRooms): Steps<Pass | null> {
  const { cookie } = shown.headers;
  if (typeof cookie !== 'string') return null;
  for (const text of cookieValuesBehind(cookie, edgeCookies.vwrToken, cookiesReadMax)) {
    const known = shown.memo?.get(text);
    // Taken apart once: each call of a visitor shows the same one.
    const sub = known?.by === 'vwr' ? known.roomId : readJwt(text, 'vwr')?.claims.sub;
    if (typeof sub !== 'string' || !(rooms.byEvent.has(sub) || (sub === wholeSiteId && rooms.wholeSite !== null)))
      continue;
    const pass = yield* firstGood(shown, 'vwr', sub, [text]);
    if (pass !== null) return pass;
  }
  return null;
}

const places = {
  ticket: { header: edgeHeaders.waitingTicket, cookie: edgeCookies.waitingTicketOf },
  entry: { header: edgeHeaders.entryToken, cookie: edgeCookies.entryTokenOf },
} as const;

/** What was put into the header on purpose wins over cookies, which come by themselves. */
function textsOf(headers: EdgeHeaders, place: { header: string; cookie: string }, eventId: string): readonly string[] {
  const given = headers[place.header];
  if (given !== undefined) return typeof given === 'string' ? [given] : none;
  const { cookie } = headers;
  return typeof cookie === 'string' ? cookieValues(cookie, place.cookie + eventId, cookiesReadMax) : none;
}

function tier1Texts({ cookie }: EdgeHeaders, roomId: string): readonly string[] {
  if (typeof cookie !== 'string' || !cookie.includes(edgeCookies.vwrToken)) return none;
  const own = cookieValues(cookie, edgeCookies.vwrTokenOf + roomId, cookiesReadMax);
  const plain = cookieValues(cookie, edgeCookies.vwrToken, cookiesReadMax - own.length);
  return plain.length === 0 ? own : [...own, ...plain];
}

const none: readonly string[] = [];

function* firstGood({ nowMs, memo }: Shown, by: MacKind, roomId: string, texts: readonly string[]): Steps<Pass | null> {
  for (const text of texts) {
    const known = memo?.get(text);
    if (known !== undefined && known.by === by) {
      if (known.roomId === roomId && nowMs < known.untilMs) return known;
      continue;
    }
    const read = by === 'ticket' ? ticketPass(text) : jwtPass(text, by);
    if (read === null || read.pass.roomId !== roomId || nowMs >= read.pass.untilMs) continue;
    if (!(yield read.check)) continue;
    memo?.set(text, read.pass);
    return read.pass;
  }
  return null;
}

function jwtPass(text: string, by: 'vwr' | 'entry') {
  const read = readJwt(text, by);
  if (read === null) return null;
  const { sub, exp, tier, jti } = read.claims;
  if (typeof sub !== 'string' || typeof exp !== 'number' || typeof jti !== 'string') return null;
  if (by === 'vwr' && tier !== 1) return null;
  const pass: Pass = { by, roomId: sub, id: jti, untilMs: exp * 1_000 };
  return { pass, check: read.check };
}

function ticketPass(text: string) {
  const read = readTicket(text);
  if (read === null) return null;
  const { eventId, takenAtMs } = read.claims;
  const pass: Pass = { by: 'ticket', roomId: eventId, id: '', untilMs: takenAtMs + ticketGoodMs };
  return { pass, check: read.check };
}
