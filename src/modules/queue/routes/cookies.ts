import type { FastifyReply } from 'fastify';
import type { Clock } from '#platform/clock.ts';
import { eraseCookie, readCookie, writeCookie } from '#platform/http/cookies.ts';
import { cookiePrefixes } from '#platform/http/names.ts';
import type { Answer } from '../service/queue.ts';

export interface QueueCookies {
  /** Sets what the answer names and takes away what it says is over, if it was sent at all; what it does not mention stays. */
  write(reply: FastifyReply, eventId: string, answer: Pick<Answer, 'ticket' | 'entry'>): void;
}

/** A place is kept across days of an announced sale; the ticket says nothing once its place is spent. */
const ticketCookieSeconds = 7 * 24 * 3_600;

export function createQueueCookies({ secure, clock }: { secure: boolean; clock: Clock }): QueueCookies {
  const attributes = { path: '/', httpOnly: true, secure, sameSite: 'Lax' } as const;

  /** Most of a crowd waits and never had an entry token: taking one away from each would make every answer longer. */
  function erase(reply: FastifyReply, name: string): void {
    const sent = reply.request.raw.headers.cookie;
    if (sent !== undefined && readCookie(sent, name) !== null) eraseCookie(reply, { ...attributes, name });
  }

  return {
    write(reply, eventId, { ticket, entry }) {
      const [ticketName, entryName] = [cookiePrefixes.queueTicket + eventId, cookiePrefixes.entryToken + eventId];
      if (ticket === null) erase(reply, ticketName);
      else if (ticket !== undefined)
        writeCookie(reply, { ...attributes, name: ticketName, value: ticket, maxAgeSeconds: ticketCookieSeconds });
      if (entry === null) erase(reply, entryName);
      else if (entry !== undefined) {
        const maxAgeSeconds = (entry.slotEndsAtMs - clock.now()) / 1_000;
        writeCookie(reply, { ...attributes, name: entryName, value: entry.token, maxAgeSeconds });
      }
    },
  };
}
