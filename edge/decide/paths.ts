/**
 * What a path says by itself. Proxies, routers and origins disagree on what some paths mean; what one of them lets through
 * another would serve. Such paths are refused, so that the rest can be compared as text, segment by segment.
 */
export function isMalformed(path: string): boolean {
  // Names and single slashes: nearly every path, told by one look.
  return !plain.test(path) && suspicious.test(path);
}

/** Whether the path of an address is nothing but letters, digits, hyphens, single slashes, and dots inside a name. It may be followed by a query. */
export function isPlain(url: string): boolean {
  return plainUrl.test(url);
}

// A name that begins with something else than a dot is neither `.` nor `..`.
const plain = /^\/(?:[\w~-][\w~.-]*(?:\/[\w~-][\w~.-]*)*\/?)?$/;
const plainUrl = /^\/(?:[\w~-][\w~.-]*(?:\/[\w~-][\w~.-]*)*\/?)?(?:\?|$)/;

const suspicious = new RegExp(
  [
    '^[^/]|^$',
    '//',
    // Backslashes are slashes to some, what follows a semicolon is a parameter to others; the rest belongs in no address.
    '[\\\\;#\\x00-\\x20\\x7f-\\uffff]',
    '/\\.{1,2}(?:/|$)',
    // A broken escape.
    '%(?![0-9a-f]{2})',
    // Control characters; `%`, `-`, `.`, `/`; digits; letters; `\`, `_`, `~`: a router decodes them, comparing text does not.
    '%(?:[01][0-9a-f]|2[5def]|3[0-9]|[46][1-9a-f]|[57][0-9a]|5[cf]|7[ef])',
    // Bytes that UTF-8 has no use for: overlong slashes begin so.
    '%(?:c[01]|f[5-9a-f])',
  ].join('|'),
  'i',
);

/** `/vwr-api` is for sites that give the waiting room one prefix, `/api/v1` for clients that name a version. Each counts once. */
export function withoutPrefixes(path: string): string {
  const inner = path.startsWith('/vwr-api/') ? path.slice('/vwr-api'.length) : path;
  return inner.startsWith('/api/v1/') ? `/api/${inner.slice('/api/v1/'.length)}` : inner;
}

/** Needs no pass, whatever room is on: the way through the rooms, and what has a guard of its own behind it. */
export function isOpen(path: string): boolean {
  return open.test(path);
}

const open =
  /^\/(?:vwr|queue|ops|fairness|health|ready|metrics|docs|api\/(?:queue|auth|events|stats|time|admin))(?:\/|$)/;

/** A room over the whole site never keeps anybody from what they have bought, nor a provider from telling what was paid. */
export function isOpenInWholeSite(path: string): boolean {
  return bought.test(path);
}

const bought = /^\/(?:payment|my|check-in|login|register|api\/(?:payments|reservations|tickets|check-in))(?:\/|$)/;

/** Staff are let in by their role: sellers at their desk, people with scanners at the door. */
export function isForStaff(path: string): boolean {
  return staff.test(path);
}

const staff = /^\/(?:seller|check-in|api\/(?:seller|check-in))(?:\/|$)/;

/** Where seats are chosen. The application's own router does not tell capitals from small letters. */
export function needsEntry(path: string): boolean {
  return entry.test(path);
}

const entry = /^\/(?:api\/seats\/events\/[^/]+(?:\/.*)?|events\/[^/]+\/(?:seats|book)\/?)$/i;

export function isApi(path: string): boolean {
  return path.startsWith('/api/');
}

/** Ids of events that stand in the path as whole segments, in small letters; each is named, not just the first. */
export function eventsNamed(path: string): readonly string[] {
  return path.match(idSegment)?.map((id) => id.slice(1).toLowerCase()) ?? none;
}

const idSegment = /\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=\/|$)/gi;
const none: readonly string[] = [];
