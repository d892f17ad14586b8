import type { FastifyReply } from 'fastify';
import type { EntryClaims } from '#modules/gateway/contract.ts';
import type { Clock } from '#platform/clock.ts';
import { eraseCookie, readCookie, writeCookie } from '#platform/http/cookies.ts';
import { cookiePrefixes } from '#platform/http/names.ts';
import { surplusCookies } from '#platform/http/surplus-cookies.ts';
import type { JwtKind } from '#platform/tokens/jwt.ts';
import type { Answer } from '../service/queue.ts';
import type { WaitingTickets } from '../service/waiting-tickets.ts';

export interface QueueCookies {
  /**
   * Sets what the answer names and takes away what it says is over, if it was sent at all; what it does not mention stays. With
   * what it sets, it takes away what the browser need not send any more.
   */
  write(reply: FastifyReply, of: CookieOwner, answer: Pick<Answer, 'ticket' | 'entry'>): void;
}

export interface CookieOwner {
  readonly eventId: string;
  readonly userId: string;
}

/** A place is kept across days of an announced sale, and for a while after it; the ticket says nothing once its place is spent. */
const ticketSecondsMax = 7 * 24 * 3_600;
const afterSaleMs = 3_600_000;
/** All together must fit a request's head of 4 kB: some 200 bytes each, and 450 for an entry token (ADR 28). */
const ticketsKept = 8;
const entriesKept = 3;

export function createQueueCookies(deps: {
  secure: boolean;
  clock: Clock;
  waitingTickets: Pick<WaitingTickets, 'open'>;
  entryTokens: Pick<JwtKind<EntryClaims>, 'verify'>;
  /** When the sale of an event closes, as far as it is known here. */
  closesAtMs: (eventId: string) => number | undefined;
}): QueueCookies {
  const { secure, clock, waitingTickets, entryTokens, closesAtMs } = deps;
  const attributes = { path: '/', httpOnly: true, secure, sameSite: 'Lax' } as const;

  /** Most of a crowd waits and never had an entry token: taking one away from each would make every answer longer. */
  function erase(reply: FastifyReply, name: string): void {
    const sent = reply.request.raw.headers.cookie;
    if (sent !== undefined && readCookie(sent, name) !== null) eraseCookie(reply, { ...attributes, name });
  }

  function ticketSeconds(eventId: string): number {
    const closes = closesAtMs(eventId) ?? Number.POSITIVE_INFINITY;
    return Math.min(ticketSecondsMax, (closes + afterSaleMs - clock.now()) / 1_000);
  }

  function ticketSince(value: string, of: CookieOwner): number | null {
    const ticket = waitingTickets.open(value);
    if (ticket?.eventId !== of.eventId || ticket.userId !== of.userId) return null;
    return ticket.kind === 'waiting' ? ticket.takenAtMs : ticket.requestedAtMs;
  }

  function entrySince(value: string, of: CookieOwner): number | null {
    const verified = entryTokens.verify(value);
    if (!verified.ok || verified.claims.sub !== of.eventId || verified.claims.uid !== of.userId) return null;
    return verified.claims.iat;
  }

  /** The place of a ticket that is taken away is found by its user, and so is the slot of an entry token. */
  function eraseSurplus(reply: FastifyReply, { eventId, userId }: CookieOwner): void {
    const sent = reply.request.raw.headers.cookie;
    if (sent === undefined) return;
    const kinds = [
      { prefix: cookiePrefixes.waitingTicket, keptMax: ticketsKept - 1, since: ticketSince },
      { prefix: cookiePrefixes.entryToken, keptMax: entriesKept - 1, since: entrySince },
    ];
    for (const { prefix, keptMax, since } of kinds) {
      const sinceMs = (value: string, ofEvent: string) => since(value, { eventId: ofEvent, userId });
      for (const surplus of surplusCookies(sent, { prefix, keptMax, currentEventId: eventId, sinceMs }))
        eraseCookie(reply, { ...attributes, name: prefix + surplus });
    }
  }

  return {
    write(reply, of, { ticket, entry }) {
      const { eventId } = of;
      const [ticketName, entryName] = [cookiePrefixes.waitingTicket + eventId, cookiePrefixes.entryToken + eventId];
      if (ticket === null) erase(reply, ticketName);
      else if (ticket !== undefined)
        writeCookie(reply, { ...attributes, name: ticketName, value: ticket, maxAgeSeconds: ticketSeconds(eventId) });
      if (entry === null) erase(reply, entryName);
      else if (entry !== undefined) {
        const maxAgeSeconds = (entry.slotEndsAtMs - clock.now()) / 1_000;
        writeCookie(reply, { ...attributes, name: entryName, value: entry.token, maxAgeSeconds });
      }
      if (typeof ticket === 'string' || entry) eraseSurplus(reply, of);
    },
  };
}
