import { platformErrors } from '#platform/errors.ts';
import type { RouteHandlers } from '#platform/http/contract.ts';
import type { PublishedDraws } from '../draw/published-draws.ts';
import { waitingRoomErrors } from '../errors.ts';
import type { Desk, Place } from '../service/desk.ts';
import type { waitingRoomContracts } from './contracts.ts';
import type { RoomCookies } from './cookies.ts';
import type { StatusDocuments } from './status-documents.ts';

/** A CDN in front makes one question a second of those of a million pages. */
export const forASecond = 'public, max-age=1';
const forAMinute = 'public, max-age=60';

export function createHandlers(deps: {
  desk: Desk;
  cookies: RoomCookies;
  statuses: StatusDocuments;
  draws: PublishedDraws;
}): RouteHandlers<typeof waitingRoomContracts> {
  const { desk, cookies, statuses, draws } = deps;
  return {
    async assignNumber({ params: { eventId }, body, user, raw }, reply) {
      const kept = cookies.shown(raw.headers, eventId);
      const place = await desk.assign({ eventId, kept, userId: user?.userId ?? null, proof: body?.proof });
      if (place === 'off') throw waitingRoomErrors.fault('ROOM_NOT_ACTIVE');
      if (place === 'proof-required') throw waitingRoomErrors.fault('PROOF_REQUIRED');
      if (place === 'proof-refused') throw waitingRoomErrors.fault('PROOF_REFUSED');
      cookies.writeRequest(reply, eventId, place);
      return shown(place);
    },

    async checkWaitingRoom({ params: { eventId, requestId }, raw }, reply) {
      const kept = cookies.shown(raw.headers, eventId);
      // A browser with a number of its own has no use for somebody else's.
      if (kept.length > 0 && !kept.includes(requestId) && kept.some((own) => desk.open(eventId, own) !== null))
        throw waitingRoomErrors.fault('REQUEST_REFUSED');
      const checked = await desk.check(eventId, requestId);
      if (checked === 'refused') throw waitingRoomErrors.fault('REQUEST_REFUSED');
      if (!checked.admitted) return { admitted: false, ...shown(checked.place) };
      const { token } = checked.token;
      cookies.writeToken(reply, eventId, checked.token);
      return { admitted: true, token, ...shown(checked.place) };
    },

    async getChallenge({ params: { eventId } }) {
      const challenge = desk.challenge(eventId);
      if (challenge === null) throw waitingRoomErrors.fault('ROOM_NOT_ACTIVE');
      return challenge;
    },

    async getBranding({ params: { eventId } }, reply) {
      const branding = desk.branding(eventId);
      if (branding === null) throw waitingRoomErrors.fault('ROOM_NOT_ACTIVE');
      reply.header('cache-control', forAMinute);
      return branding;
    },

    getRoomStatus({ params: { eventId } }, reply) {
      const document = statuses.of(eventId);
      if (document === null) throw waitingRoomErrors.fault('ROOM_NOT_ACTIVE');
      reply.header('cache-control', forASecond);
      return document.json;
    },

    async getDraw({ params: { eventId } }, reply) {
      const draw = await draws.of(eventId);
      if (draw === null) throw platformErrors.fault('NOT_FOUND');
      reply.header('cache-control', forASecond);
      return draw;
    },
  };
}

function shown({ endsAtMs: _, ...place }: Place) {
  return place;
}
