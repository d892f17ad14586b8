import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { platformErrors } from '#platform/errors.ts';
import { readCookie, readCookies } from '#platform/http/cookies.ts';
import type { Identity } from '#platform/http/identity.ts';
import { callerHeaders, cookieNames, cookiePrefixes } from '#platform/http/names.ts';
import { queueErrors } from '../errors.ts';
import type { Caller } from '../service/queue.ts';
import { createWaitingTickets, type OpenWaitingTicket, type WaitingTickets } from '../service/waiting-tickets.ts';

type Sent = Pick<FastifyRequest, 'raw'>;

export interface Callers {
  /** The user, with their ticket if they sent one. */
  user(request: Sent, eventId: string, user: Identity): Caller;
  /** The user, or without one the user to whom the ticket was given. UNAUTHENTICATED when there is neither. */
  any(request: Sent, eventId: string, user: Identity | null): Caller;
  /** The user to whom a good waiting ticket of this event was given; null: `any` says what is wrong, or renews it. */
  byWaitingTicket(headers: IncomingHttpHeaders, eventId: string): Caller | null;
}

/**
 * A ticket in the header was put there on purpose: one that is edited, of another user or of another event is refused.
 * A cookie comes by itself, also from anyone who used the browser before or sealed by a secret that is retired: such a one
 * is passed over and gives nothing.
 */
export function createCallers({
  waitingTickets,
  onRefused,
}: {
  waitingTickets: WaitingTickets;
  onRefused: () => void;
}): Callers {
  function open(text: string | null, eventId: string): OpenWaitingTicket | null {
    const ticket = text === null ? null : waitingTickets.open(text);
    return ticket?.eventId === eventId ? ticket : null;
  }

  function any({ raw: { headers } }: Sent, eventId: string, user: Identity | null): Caller {
    for (const text of ticketsIn(headers, eventId)) {
      const ticket = open(text, eventId);
      if (ticket === null || (user !== null && user.userId !== ticket.userId)) continue;
      if (!ticket.isOld) return callerWith(ticket, text, headers);
      return { ...callerWith(ticket, waitingTickets.renew(ticket), headers), isRenewed: true };
    }
    if (headers[callerHeaders.waitingTicket] !== undefined) {
      onRefused();
      throw queueErrors.fault('TICKET_REFUSED');
    }
    if (user === null) {
      throw platformErrors.fault('UNAUTHENTICATED', { detail: 'Send the waiting ticket, or sign in.' });
    }
    return { userId: user.userId, ticket: null, ticketText: null, pending: null, sent: headers };
  }

  return {
    any,
    byWaitingTicket(headers, eventId) {
      const text = ticketIn(headers, eventId);
      const ticket = open(text, eventId);
      return ticket === null || ticket.isOld ? null : callerWith(ticket, text, headers);
    },
    user: (request, eventId, user) => any(request, eventId, user),
  };
}

function callerWith(ticket: OpenWaitingTicket, text: string | null, headers: IncomingHttpHeaders): Caller {
  return ticket.kind === 'waiting'
    ? { userId: ticket.userId, ticket, ticketText: text, pending: null, sent: headers }
    : { userId: ticket.userId, ticket: null, ticketText: text, pending: ticket, sent: headers };
}

/** For the gateway: to whom the ticket of a call was given; null: it has none, or none that is good for this event. */
export function createWaitingTicketHolder({ secrets }: { secrets: readonly string[] }) {
  const waitingTickets = createWaitingTickets({ secrets });
  return (headers: IncomingHttpHeaders, eventId: string): string | null => {
    const text = ticketIn(headers, eventId);
    const ticket = text === null ? null : waitingTickets.open(text);
    return ticket?.eventId === eventId ? ticket.userId : null;
  };
}

function ticketIn(headers: IncomingHttpHeaders, eventId: string): string | null {
  const shown = headers[callerHeaders.waitingTicket];
  if (shown !== undefined) return typeof shown === 'string' ? shown : null;
  return headers.cookie === undefined ? null : readCookie(headers.cookie, cookiePrefixes.waitingTicket + eventId);
}

/** A page of a sibling domain may have planted a cookie of the same name in front of ours. */
const ticketsReadMax = 4;

function ticketsIn(headers: IncomingHttpHeaders, eventId: string): readonly string[] {
  if (headers[callerHeaders.waitingTicket] === undefined && headers.cookie !== undefined)
    return readCookies(headers.cookie, { prefix: cookiePrefixes.waitingTicket + eventId, countMax: ticketsReadMax });
  const text = ticketIn(headers, eventId);
  return text === null ? [] : [text];
}

/** The tier-1 tokens that the browser has for this event: those of its own name, then the one of the plain name. */
export function vwrTokensOf({ raw }: Sent, eventId: string): readonly string[] {
  const { cookie } = raw.headers;
  if (cookie === undefined) return [];
  const own = readCookies(cookie, { prefix: cookiePrefixes.vwrToken + eventId, countMax: ticketsReadMax });
  const plain = readCookie(cookie, cookieNames.vwrToken);
  return plain === null ? own : [...own, plain];
}
