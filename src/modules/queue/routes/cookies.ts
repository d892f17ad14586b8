import type { FastifyReply } from 'fastify';
import type { Clock } from '#platform/clock.ts';
import { eraseCookie, writeCookie } from '#platform/http/cookies.ts';
import type { Answer } from '../service/queue.ts';
import { entryCookiePrefix, ticketCookiePrefix } from './caller.ts';

export interface QueueCookies {
  /** Sets what the answer names and takes away what it says is over; what it does not mention stays. */
  write(reply: FastifyReply, eventId: string, answer: Pick<Answer, 'ticket' | 'entry'>): void;
}

/** A place is kept across days of an announced sale; the ticket says nothing once its place is spent. */
const ticketCookieSeconds = 7 * 24 * 3_600;

export function createQueueCookies({ secure, clock }: { secure: boolean; clock: Clock }): QueueCookies {
  const attributes = { path: '/', httpOnly: true, secure, sameSite: 'Lax' } as const;
  return {
    write(reply, eventId, { ticket, entry }) {
      const ticketCookie = { ...attributes, name: ticketCookiePrefix + eventId };
      const entryCookie = { ...attributes, name: entryCookiePrefix + eventId };
      if (ticket === null) eraseCookie(reply, ticketCookie);
      else if (ticket !== undefined)
        writeCookie(reply, { ...ticketCookie, value: ticket, maxAgeSeconds: ticketCookieSeconds });
      if (entry === null) eraseCookie(reply, entryCookie);
      else if (entry !== undefined) {
        const maxAgeSeconds = (entry.slotEndsAtMs - clock.now()) / 1_000;
        writeCookie(reply, { ...entryCookie, value: entry.token, maxAgeSeconds });
      }
    },
  };
}
