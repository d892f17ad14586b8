import type { IncomingHttpHeaders } from 'node:http';
import type { Fault } from '#platform/errors.ts';

/** Asked before a page is served and before a call of the API is answered. The waiting room decides; without one, nobody is asked. */
export interface EdgeDecision {
  /** Synchronous where it can be: it stands in the way of every page and every call. A promise has 250 ms. */
  decide(call: EdgeCall): EdgeAnswer | Promise<EdgeAnswer>;
  /** When `decide` throws, or takes too long: everybody goes on, or nobody does (503). */
  readonly failMode: 'open' | 'closed';
  /**
   * As whom a caller counts who is not signed in: thousands who have passed a room may be behind one address, and a pass that is handed
   * around counts once. Null: no good pass is shown.
   */
  passOf?(headers: IncomingHttpHeaders): string | null;
}

export interface EdgeCall {
  readonly method: string;
  /** As it was sent but for the version: still encoded, never with two readings of a slash or a dot. */
  readonly path: string;
  /** With its question mark, or empty. */
  readonly query: string;
  /** Passes come as cookies or as headers: the tier-1 token, the waiting ticket, the entry token. */
  readonly headers: IncomingHttpHeaders;
  /** The event that the route declares by `tier1`. Null: it declares none, or this is a page, and the path says it. */
  readonly eventId: string | null;
}

export type EdgeAnswer =
  /** `isGuarded`: only for those who passed, so no cache may keep the page. */
  | { readonly status: 'continue'; readonly isGuarded?: boolean }
  /** To a path of this site. A page answers 302; a call of the API 403 `WAITING_ROOM_REQUIRED` with `redirectTo`. */
  | { readonly status: 'redirect'; readonly location: string; readonly setCookies?: readonly string[] }
  | { readonly status: 'refuse'; readonly problem: Fault };

/** Entry tokens that ended before their time, by `jti`: the slot was given back or taken away. */
export interface EntryDenySet {
  has(jti: string): boolean;
}

/** Told of calls that an entry token let in. On the path of each of them: it neither throws nor waits. */
export interface ProtectedCalls {
  /** A good token of this user was shown for a slot of this event. */
  entered(entry: { eventId: string; userId: string; slotId: string }): void;
  /** How long it took until the answer began, and whether that is a fault of the server (5xx). */
  answered(answer: { ms: number; failed: boolean }): void;
}

/** To whom the waiting ticket of a call was given; null: it has none that is good for this event. */
export type WaitingTicketHolder = (headers: IncomingHttpHeaders, eventId: string) => string | null;

/** Claims of the access token, `typ` at+jwt. */
export interface AccessClaims {
  readonly sub: string;
  readonly email: string;
  readonly role: string;
}

/** Claims of the entry token, `typ` entry+jwt. `sub` is the event, `uid` the user it was given to. */
export interface EntryClaims {
  readonly sub: string;
  readonly uid: string;
  readonly jti: string;
}

/** The half of a token kind that the gateway uses. */
export interface TokenVerifier<Claims> {
  verify(token: string): { ok: true; claims: Claims & { exp: number } } | { ok: false; reason: 'expired' | 'invalid' };
}
