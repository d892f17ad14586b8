import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Clock } from '#platform/clock.ts';
import { eraseCookie, readCookies, writeCookie } from '#platform/http/cookies.ts';
import { cookiePrefixes } from '#platform/http/names.ts';
import { surplusCookies } from '#platform/http/surplus-cookies.ts';
import type { Place } from '../service/desk.ts';
import type { RequestIds } from '../service/request-ids.ts';

export interface RoomCookies {
  /** The requestIds of this room that a browser sent; a page of a sibling domain may have planted one beside ours. */
  shown(headers: IncomingHttpHeaders, eventId: string): string[];
  writeRequest(reply: FastifyReply, eventId: string, place: Pick<Place, 'requestId' | 'endsAtMs'>): void;
  writeToken(reply: FastifyReply, eventId: string, token: { token: string; expiresAt: number }): void;
}

const sameNameMax = 4;
/** Browsers keep no cookie for longer. */
const secondsMax = 400 * 24 * 3_600;
/** All together must fit a request's head of 4 kB. */
const requestsKept = 8;

export function createRoomCookies(deps: {
  secure: boolean;
  clock: Clock;
  requestIds: Pick<RequestIds, 'open'>;
}): RoomCookies {
  const { secure, clock, requestIds } = deps;
  const attributes = { path: '/', httpOnly: true, secure, sameSite: 'Lax' } as const;

  function requestSince(value: string, eventId: string): number | null {
    const request = requestIds.open(value);
    return request?.eventId === eventId ? request.issuedAtMs : null;
  }

  function eraseSurplus(
    reply: FastifyReply,
    kind: {
      prefix: string;
      keptMax: number;
      currentEventId: string;
      sinceMs: (value: string, id: string) => number | null;
    },
  ): void {
    const sent = reply.request.raw.headers.cookie;
    if (sent === undefined) return;
    for (const surplus of surplusCookies(sent, kind))
      eraseCookie(reply, { ...attributes, name: kind.prefix + surplus });
  }

  return {
    shown({ cookie }, eventId) {
      if (cookie === undefined) return [];
      const name = cookiePrefixes.vwrRequest + eventId;
      return readCookies(cookie, { prefix: name, countMax: sameNameMax });
    },

    writeRequest(reply, eventId, { requestId, endsAtMs }) {
      const maxAgeSeconds = Math.min(secondsMax, (endsAtMs - clock.now()) / 1000);
      writeCookie(reply, { ...attributes, name: cookiePrefixes.vwrRequest + eventId, value: requestId, maxAgeSeconds });
      const kind = { prefix: cookiePrefixes.vwrRequest, keptMax: requestsKept - 1 };
      eraseSurplus(reply, { ...kind, currentEventId: eventId, sinceMs: requestSince });
    },

    writeToken(reply, eventId, { token, expiresAt }) {
      const maxAgeSeconds = Math.ceil((expiresAt - clock.now()) / 1000);
      writeCookie(reply, { ...attributes, name: cookiePrefixes.vwrToken + eventId, value: token, maxAgeSeconds });
    },
  };
}
