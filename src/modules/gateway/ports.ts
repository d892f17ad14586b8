import type { IncomingHttpHeaders } from 'node:http';

/** What the gateway needs to know about tier 1. The waiting room answers; without one, nobody waits. */
export interface EdgeDecision {
  /** Decides for one call to one event. Synchronous where it can be: it stands in the way of every such call. */
  decide(call: EdgeCall): EdgeAnswer | Promise<EdgeAnswer>;
}

export interface EdgeCall {
  readonly eventId: string;
  /** Passes come as cookies or as headers: the tier-1 token, the waiting ticket, the entry token. */
  readonly headers: IncomingHttpHeaders;
  readonly userId: string | null;
}

export type EdgeAnswer = { readonly pass: true } | { readonly pass: false; readonly redirectTo: string };

/** Tier 1 while no room is known. */
export const noRooms: EdgeDecision = {
  decide: () => passed,
};
const passed: EdgeAnswer = { pass: true };

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
export type TicketHolder = (headers: IncomingHttpHeaders, eventId: string) => string | null;

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
