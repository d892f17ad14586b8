import type { TokenSpec } from './testing/mint.ts';

/**
 * What the decision says, case by case. Every runtime runs this one table: Node's and WebCrypto's driver, the gateway over
 * HTTP, `/vwr/decide`, nginx. Whoever packages the decision runs it too.
 */
export interface EdgeCase {
  readonly name: string;
  readonly method: string;
  /** As it is sent, with its query. */
  readonly target: string;
  readonly shows: readonly Shown[];
  /** Headers as they are, beside what is shown. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Rooms that are on. */
  readonly rooms: readonly string[];
  readonly expect: Expected;
}

export interface Shown {
  readonly as: 'cookie' | 'header';
  readonly name: string;
  /** A token in words, or any text. */
  readonly token: TokenSpec | string;
}

export type Expected =
  | { readonly goes: 'on' | 'on, guarded' }
  /** A page: 302. */
  | { readonly sentTo: string }
  /** A call: 403 with this code. */
  | { readonly refused: 'WAITING_ROOM_REQUIRED' | 'ENTRY_TOKEN_REQUIRED'; readonly redirectTo: string }
  | { readonly refused: 'MALFORMED_PATH' };

export const [eventA, eventB, eventOff] = [
  '0195a000-0000-7000-8000-00000000000a',
  '0195a000-0000-7000-8000-00000000000b',
  '0195a000-0000-7000-8000-00000000000f',
] as const;
const [seconds, hours] = [1_000, 3_600_000];

const goesOn: Expected = { goes: 'on' };
const guarded: Expected = { goes: 'on, guarded' };
const malformed: Expected = { refused: 'MALFORMED_PATH' };
const sent = (target: string, room: string = eventA): Expected => ({
  sentTo: `/vwr/${room}?next=${encodeURIComponent(target)}`,
});
const refused = (room: string = eventA): Expected => ({
  refused: 'WAITING_ROOM_REQUIRED',
  redirectTo: `/vwr/${room}`,
});
const noEntry = (event: string = eventA): Expected => ({
  refused: 'ENTRY_TOKEN_REQUIRED',
  redirectTo: `/queue/${event}`,
});

const vwr = (event: string, more: Partial<TokenSpec> = {}, name = `urr-vwr-token-${event}`): Shown => ({
  as: 'cookie',
  name,
  token: { kind: 'vwr', event, ...more },
});
const ticket = (event: string, more: Partial<TokenSpec> = {}): Shown => ({
  as: 'cookie',
  name: `urr-queue-ticket-${event}`,
  token: { kind: 'ticket', event, ...more },
});
const entry = (event: string, more: Partial<TokenSpec> = {}): Shown => ({
  as: 'cookie',
  name: `urr-entry-token-${event}`,
  token: { kind: 'entry', event, ...more },
});
const inHeader = (shown: Shown): Shown => ({
  ...shown,
  as: 'header',
  name: shown.name.startsWith('urr-entry') ? 'x-queue-entry-token' : 'x-queue-ticket',
});

type Rest = Partial<Pick<EdgeCase, 'method' | 'shows' | 'rooms' | 'headers'>>;

function one(name: string, target: string, expect: Expected, rest: Rest = {}): EdgeCase {
  return { name, target, expect, method: 'GET', shows: [], rooms: [eventA], ...rest };
}

const page = `/events/${eventA}`;
const api = `/api/tickets/event/${eventA}`;
const seatMap = `/api/seats/events/${eventA}`;

/** Paths need no spaces, so a list of them is a text; backslashes stand for themselves. */
const paths = (...args: Parameters<typeof String.raw>): readonly string[] =>
  String.raw(...args)
    .trim()
    .split(/\s+/);

/** Open whatever is on. */
const openPaths = paths`
  /vwr /vwr/${eventA} /vwr/status/${eventA} /vwr/check/${eventA}/uvr1.x /vwr/* /vwr-api/vwr/${eventA}
  /queue /queue/${eventA} /api/queue /api/queue/status/${eventA} /api/v1/queue/status/${eventA}
  /api/auth/me /api/auth/providers /api/events /api/events/${eventA} /api/v1/events/${eventA} /api/time
  /api/stats /api/stats/events/${eventA} /api/admin/users /api/admin/vwr/status/${eventA}
  /vwr-api/api/admin/vwr/status/${eventA} /ops /ops/events/${eventA} /fairness/${eventA}
  /health /ready /metrics /docs /docs/errors /assets/app-4f2a.js /icon.svg`;

/** Refused before anything else is looked at. */
const malformedPaths = paths`
  // //events /events//${eventA} /events/${eventA}// /vwr//x //vwr/${eventA} /vwr-api//events/${eventA}
  /./events /events/. /events/./${eventA} /events/.. /vwr/../events/${eventA} /queue/../../events/${eventA} /..
  /\events /events\${eventA} /vwr\..\events /events/${eventA};x=1 /vwr/;/../events/${eventA} /events;a/${eventA} /;
  /%25 /events/%2530195a000 /%252e%252e/events /a%25 /%2e/events /vwr/%2e%2e/events/${eventA} /%2E%2e
  /events%2f${eventA} /events%2F${eventA} /events%5c${eventA} /events%5C${eventA} /vwr/%2f..%2fevents
  /%65vents/${eventA} /event%73/${eventA} /events/%30${eventA.slice(1)} /events/${eventA.slice(0, -1)}%61
  /api/seats/%65vents/${eventA} /%61pi/seats/events/${eventA} /%45vents /%7Eme /a%2Db /a%5Fb /%5f /%7a
  /% /%2 /%zz /a%0 /%0a /%0d%0aset-cookie /%00 /%1f /%7f /%c0%af /%c1%9c /%f5%80`;

/** Strange, but with one reading. */
const fairPaths = paths`
  / /search /search/ /a.b /.well-known/x /... /a..b /~me /a-b_c /%ec%8a%a4 /a%20b /a%3Ab /a%3B /a:b@c /a!$&'()*+,=
  /%e2%82%ac /search?q=%25&p=..//;%2f%00 /?a\b /events?x=//`;

/** While the room over the whole site is on. */
const openInWholeSite = paths`
  /api/payments/prepare /api/payments/webhooks/toss /payment/o-1 /payment/o-1/success /api/reservations
  /api/reservations/my /my/reservations /my/tickets /api/tickets/my /api/tickets/event/${eventOff}
  /api/check-in /api/check-in/events/${eventOff}/bundle /check-in /login /register /api/v1/payments/confirm`;
const guardedInWholeSite = paths`
  / /search /index.html /artists /events/${eventOff} /me /loginx /my-page /payments /vwrx /docsx /healthy
  /assets/old.js /assets/ /app-4f2a.js /events/x.js /icon.svg/ /vwr-api /Vwr/x`;
const guardedCallsInWholeSite = paths`
  /api/artists /api/venues /api/layouts/x /api/eventsx /api/v1/artists /vwr-api/api/artists /api/
  /api/seats/events/${eventOff} /api/seller/events /api/paymentsx /api/authx /api/Auth/me /api/queues`;

/** No good anywhere, by kind. */
const badVwr: readonly [string, Shown][] = [
  ['of another event', vwr(eventB, {}, `urr-vwr-token-${eventA}`)],
  ['ended', vwr(eventA, { inMs: 0 })],
  ['ended long ago', vwr(eventA, { inMs: -24 * hours })],
  ['by a secret that nobody knows', vwr(eventA, { by: 'stranger' })],
  ['by the secret of entry tokens', vwr(eventA, { by: 'entry' })],
  ['by the secret of tickets', vwr(eventA, { by: 'ticket' })],
  ['with the typ of an entry token', vwr(eventA, { head: { typ: 'entry+jwt' } })],
  ['with the typ of an access token', vwr(eventA, { head: { typ: 'at+jwt' } })],
  ['without a typ', vwr(eventA, { head: { typ: undefined } })],
  ['with typ JWT', vwr(eventA, { head: { typ: 'JWT' } })],
  ['with alg none and no MAC', vwr(eventA, { head: { alg: 'none' }, hash: 'none' })],
  ['with alg none and a MAC', vwr(eventA, { head: { alg: 'none' } })],
  ['with alg HS512', vwr(eventA, { head: { alg: 'HS512' }, hash: 'SHA-512' })],
  ['with alg HS512 named and HS256 used', vwr(eventA, { head: { alg: 'HS512' } })],
  ['with alg hs256 in small letters', vwr(eventA, { head: { alg: 'hs256' } })],
  ['with alg RS256', vwr(eventA, { head: { alg: 'RS256' } })],
  ['that asks for something critical', vwr(eventA, { head: { crit: ['exp'] } })],
  ['of tier 2', vwr(eventA, { claims: { tier: 2 } })],
  ['of tier "1"', vwr(eventA, { claims: { tier: '1' } })],
  ['without a tier', vwr(eventA, { claims: { tier: undefined } })],
  ['without an event', vwr(eventA, { claims: { sub: undefined } })],
  ['with a list of events', vwr(eventA, { claims: { sub: [eventA] } })],
  ['without an end', vwr(eventA, { claims: { exp: undefined } })],
  ['with an end in words', vwr(eventA, { claims: { exp: '99999999999' } })],
  ['without an id', vwr(eventA, { claims: { jti: undefined } })],
  ['of the room over the whole site', vwr('*', {}, `urr-vwr-token-${eventA}`)],
  ['under the name of another room', vwr(eventA, {}, `urr-vwr-token-${eventB}`)],
  ['under a longer name', vwr(eventA, {}, `urr-vwr-token-${eventA}x`)],
  ['under a name that only ends so', vwr(eventA, {}, `x-urr-vwr-token-${eventA}`)],
  ['that is an entry token', { ...entry(eventA), name: `urr-vwr-token-${eventA}` }],
  ['that is a waiting ticket', { ...ticket(eventA), name: `urr-vwr-token-${eventA}` }],
];
const badTicket: readonly [string, Shown][] = [
  ['of another event', { ...ticket(eventB), name: `urr-queue-ticket-${eventA}` }],
  ['taken 24 hours ago', ticket(eventA, { agoMs: 24 * hours })],
  ['taken two days ago', ticket(eventA, { agoMs: 48 * hours })],
  ['by a secret that nobody knows', ticket(eventA, { by: 'stranger' })],
  ['by the secret of tier 1', ticket(eventA, { by: 'vwr' })],
  ['that is only pending', ticket(eventA, { kind: 'pending' })],
  ['that is a tier-1 token', { ...vwr(eventA), name: `urr-queue-ticket-${eventA}` }],
  ['that is an entry token', { ...entry(eventA), name: `urr-queue-ticket-${eventA}` }],
];
const badEntry: readonly [string, Shown][] = [
  ['of another event', { ...entry(eventB), name: `urr-entry-token-${eventA}` }],
  ['ended', entry(eventA, { inMs: 0 })],
  ['by a secret that nobody knows', entry(eventA, { by: 'stranger' })],
  ['by the secret of tier 1', entry(eventA, { by: 'vwr' })],
  ['with the typ of a tier-1 token', entry(eventA, { head: { typ: 'vwr+jwt' } })],
  ['with alg none', entry(eventA, { head: { alg: 'none' }, hash: 'none' })],
  ['with alg HS512', entry(eventA, { head: { alg: 'HS512' }, hash: 'SHA-512' })],
  ['without an end', entry(eventA, { claims: { exp: undefined } })],
  ['without a slot', entry(eventA, { claims: { jti: undefined } })],
  ['that is a tier-1 token', { ...vwr(eventA), name: `urr-entry-token-${eventA}` }],
];
const spoils = ['mac', 'claims', 'cut', 'no-mac', 'longer', 'capitals', 'padded'] as const;
const bad: readonly [string, Shown][] = [
  ...badVwr.map(([why, shown]): [string, Shown] => [`a tier-1 token ${why}`, shown]),
  ...[
    ...badTicket,
    ...badTicket.map(([why, shown]): [string, Shown] => [`${why}, in the header`, inHeader(shown)]),
  ].map(([why, shown]): [string, Shown] => [`a ticket ${why}`, shown]),
  ...[...badEntry, ...badEntry.map(([why, shown]): [string, Shown] => [`${why}, in the header`, inHeader(shown)])].map(
    ([why, shown]): [string, Shown] => [`an entry token ${why}`, shown],
  ),
  ...[vwr, ticket, entry].flatMap((make) =>
    spoils.map((spoil): [string, Shown] => [`${make.name}, spoiled: ${spoil}`, make(eventA, { spoil })]),
  ),
  ...['', '.', '..', '...', 'a.b.c', 'null', 'uqw2', 'uqw2.......', '{}', 'x'.repeat(3_000), '.'.repeat(500)].flatMap(
    (token) =>
      [vwr, ticket, entry].map((make): [string, Shown] => [
        `${make.name} that is ${JSON.stringify(token.slice(0, 12))}`,
        { ...make(eventA), token },
      ]),
  ),
];
const good: readonly [string, Shown][] = [
  ['a tier-1 token', vwr(eventA)],
  ['a tier-1 token in the plain cookie', vwr(eventA, {}, 'urr-vwr-token')],
  ['a tier-1 token by the second key', vwr(eventA, { by: 'second' })],
  ['a tier-1 token of an earlier era', vwr(eventA, { claims: { era: 1, jti: '1.9' } })],
  ['a tier-1 token that ends in a second', vwr(eventA, { inMs: seconds })],
  ['a tier-1 token with its header in another order', vwr(eventA, { head: { typ: 'vwr+jwt' } })],
  ['a tier-1 token with more in its header', vwr(eventA, { head: { kid: 'a' } })],
  ['a waiting ticket', ticket(eventA)],
  ['a waiting ticket taken nearly 24 hours ago', ticket(eventA, { agoMs: 24 * hours - 1 })],
  ['a waiting ticket by a clock that is 5 s ahead', ticket(eventA, { agoMs: -5 * seconds })],
  ['a waiting ticket by the second key', ticket(eventA, { by: 'second' })],
  ['a waiting ticket in the header', inHeader(ticket(eventA))],
  ['an entry token', entry(eventA)],
  ['an entry token by the second key', entry(eventA, { by: 'second' })],
  ['an entry token in the header', inHeader(entry(eventA))],
];
const both = [eventA, eventB, '*'];
const filler: Shown = { as: 'cookie', name: 'other', token: 'x'.repeat(2_000) };

export const edgeCases: readonly EdgeCase[] = [
  ...openPaths.flatMap((target) =>
    (['GET', 'HEAD', 'POST'] as const).map((method) =>
      one(`${method} ${target} is open`, target, goesOn, { method, rooms: both }),
    ),
  ),
  ...malformedPaths.flatMap((target) => [
    one(`${target} is malformed, nothing is on`, target, malformed, { rooms: [] }),
    one(`${target} is malformed, whatever is shown`, target, malformed, {
      rooms: both,
      shows: [vwr(eventA), vwr('*')],
    }),
  ]),
  ...fairPaths.map((target) => one(`${target} has one reading`, target, goesOn)),
  ...good.flatMap(([why, shown]) => [
    one(`${why} opens the page`, page, guarded, { shows: [shown] }),
    one(`${why} opens a call`, api, guarded, { shows: [shown] }),
    one(`${why} opens it to HEAD`, page, guarded, { shows: [shown], method: 'HEAD' }),
    one(`${why} opens nothing of another event`, `/events/${eventB}`, sent(`/events/${eventB}`, eventB), {
      ...{ shows: [shown], rooms: [eventA, eventB] },
    }),
  ]),
  ...bad.flatMap(([why, shown]) => [
    one(`${why} is no pass to the page`, page, sent(page), { shows: [shown] }),
    one(`${why} is no pass to a call`, api, refused(), { shows: [shown] }),
  ]),
  ...bad
    .filter(([, shown]) => shown.as === 'cookie')
    .map(([why, shown]) =>
      one(`${why} spoils no good pass`, page, guarded, { shows: [shown, vwr(eventA, {}, 'urr-vwr-token')] }),
    ),
  one('a room that is off', `/events/${eventOff}`, goesOn),
  one('no room at all', page, goesOn, { rooms: [] }),
  one('no room at all, a call', seatMap, goesOn, { rooms: [] }),
  one('HEAD as GET', page, sent(page), { method: 'HEAD' }),
  one('OPTIONS passes', page, goesOn, { method: 'OPTIONS' }),
  one('OPTIONS passes to a call', api, goesOn, { method: 'OPTIONS', rooms: both }),
  ...['POST', 'PUT', 'PATCH', 'DELETE'].map((method) => one(`${method} of a call is told`, api, refused(), { method })),
  one('the query comes back', `${page}?tab=a&x=%26%2F..`, sent(`${page}?tab=a&x=%26%2F..`)),
  one('a query that looks like a place elsewhere', `${page}?next=//evil.test`, sent(`${page}?next=//evil.test`)),
  one('a query too long to be carried', `${page}?x=${'a'.repeat(2_000)}`, { sentTo: `/vwr/${eventA}` }),
  one('a slash at the end', `${page}/`, sent(`${page}/`)),
  one('deeper pages', `${page}/reviews/9`, sent(`${page}/reviews/9`)),
  one('pages that the router may take for the same', `/Events/${eventA}`, sent(`/Events/${eventA}`)),
  one('pages that nobody has thought of', `/shows/${eventA}`, sent(`/shows/${eventA}`)),
  one('an id in capitals', `/events/${eventA.toUpperCase()}`, sent(`/events/${eventA.toUpperCase()}`)),
  one('an id in capitals, with a pass', `/events/${eventA.toUpperCase()}`, guarded, { shows: [vwr(eventA)] }),
  one('an id in capitals in a call', `/api/tickets/event/${eventA.toUpperCase()}`, refused()),
  one('an id that is part of a longer segment', `/events/${eventA}0`, goesOn),
  one('an id behind another word', `/events/x${eventA}`, goesOn),
  one('two events in one path', `/events/${eventA}/${eventB}`, sent(`/events/${eventA}/${eventB}`, eventB), {
    ...{ rooms: [eventA, eventB], shows: [vwr(eventA)] },
  }),
  one('two events, both passed', `/events/${eventA}/${eventB}`, guarded, {
    ...{ rooms: [eventA, eventB], shows: [vwr(eventA), vwr(eventB)] },
  }),
  one('two rooms in one browser: the first', page, guarded, {
    rooms: both,
    shows: [vwr(eventA), vwr(eventB), vwr('*')],
  }),
  one('two rooms in one browser: the second', `/events/${eventB}`, guarded, {
    ...{ rooms: [eventA, eventB], shows: [vwr(eventA), vwr(eventB)] },
  }),
  one('/api/v1 is stripped first', `/api/v1/tickets/event/${eventA}`, refused()),
  one('/vwr-api is stripped first', `/vwr-api/events/${eventA}`, sent(page)),
  one('/vwr-api before /api/v1', `/vwr-api/api/v1/tickets/event/${eventA}`, refused()),
  one('/vwr-api is stripped once', `/vwr-api/vwr-api/events/${eventA}`, sent(`/vwr-api/events/${eventA}`)),
  one('staff at the door', `/api/check-in/events/${eventA}/bundle`, goesOn),
  one('sellers at their desk', `/api/seller/events/${eventA}/sales`, goesOn),
  one('an address that has been cut in two cookies', page, sent(page), {
    headers: { cookie: 'urr-vwr-token; =x; ;;;' },
  }),
  one('a cookie without an end', page, sent(page), { headers: { cookie: `urr-vwr-token-${eventA}` } }),
  one('other cookies around', page, guarded, { shows: [filler, vwr(eventA), filler] }),
  one('a planted cookie of the same name in front', page, guarded, {
    shows: [vwr(eventA, { by: 'stranger' }), vwr(eventA)],
  }),
  one('more planted cookies than are read', page, sent(page), {
    shows: [...Array(4).fill(vwr(eventA, { by: 'stranger' })), vwr(eventA)],
  }),
  one('a bad ticket in the header wins over a good cookie', page, sent(page), {
    shows: [inHeader(ticket(eventA, { by: 'stranger' })), ticket(eventA)],
  }),
  one('a bad entry token in the header wins over a good cookie', page, sent(page), {
    shows: [inHeader(entry(eventA, { by: 'stranger' })), entry(eventA)],
  }),
  ...[seatMap, `${seatMap}/stream`, `${seatMap}/sections/A`, `/api/v1/seats/events/${eventA}`].flatMap((target) => [
    one(`${target} without a pass`, target, refused()),
    one(`${target} with a tier-1 token only`, target, noEntry(), { shows: [vwr(eventA)] }),
    one(`${target} with a waiting ticket only`, target, noEntry(), { shows: [ticket(eventA)] }),
    one(`${target} with an entry token of another event`, target, noEntry(), { shows: [vwr(eventA), entry(eventB)] }),
    one(`${target} with an entry token`, target, guarded, { shows: [entry(eventA)] }),
    one(`${target} with both`, target, guarded, { shows: [vwr(eventA), inHeader(entry(eventA))] }),
  ]),
  ...[`${page}/seats`, `${page}/book`, `${page}/seats/`, `${page}/SEATS`].flatMap((target) => [
    one(`${target} without a pass`, target, sent(target)),
    one(`${target} with a tier-1 token only`, target, { sentTo: `/queue/${eventA}` }, { shows: [vwr(eventA)] }),
    one(`${target} with a waiting ticket only`, target, { sentTo: `/queue/${eventA}` }, { shows: [ticket(eventA)] }),
    one(`${target} with an entry token`, target, guarded, { shows: [entry(eventA)] }),
  ]),
  ...openInWholeSite.map((target) => one(`* leaves ${target} open`, target, goesOn, { rooms: ['*'] })),
  ...guardedInWholeSite.map((target) => one(`* guards ${target}`, target, sent(target, '*'), { rooms: ['*'] })),
  ...guardedInWholeSite.map((target) =>
    one(`* lets its own token to ${target}`, target, guarded, { rooms: ['*'], shows: [vwr('*')] }),
  ),
  ...guardedCallsInWholeSite.map((target) => one(`* guards ${target}`, target, refused('*'), { rooms: ['*'] })),
  ...[vwr(eventA), ticket(eventA), entry(eventA), ticket('*'), entry('*'), vwr(eventA, {}, 'urr-vwr-token')].map(
    (shown) => one(`* takes no ${shown.name}`, '/', sent('/', '*'), { rooms: ['*'], shows: [shown] }),
  ),
  one('* in the plain cookie', '/', guarded, { rooms: ['*'], shows: [vwr('*', {}, 'urr-vwr-token')] }),
  one('* and a room of an event: first *', page, sent(page, '*'), { rooms: both, shows: [vwr(eventA)] }),
  one('* and a room of an event: then the event', page, sent(page), { rooms: both, shows: [vwr('*')] }),
  one('* is no way around the room of an event', api, refused(), { rooms: both, shows: [vwr('*')] }),
];
