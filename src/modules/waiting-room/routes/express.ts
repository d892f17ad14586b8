import type { OpenRoute } from '#platform/http/express-lane.ts';
import type { Desk, Place } from '../service/desk.ts';
import { waitingRoomContracts } from './contracts.ts';
import type { RoomCookies } from './cookies.ts';
import { forASecond } from './handlers.ts';
import type { StatusDocuments } from './status-documents.ts';

const eventIdLength = 36;

/**
 * What a waiting page asks for again and again, from memory: the status document, and a check by somebody whose turn is not
 * near. Everything else (no such room, a pass, a refusal, a look at the counters) is for the usual way.
 */
export function createRoomExpress(deps: {
  desk: Pick<Desk, 'waiting'>;
  cookies: Pick<RoomCookies, 'shown'>;
  statuses: StatusDocuments;
}): readonly OpenRoute[] {
  const { desk, cookies, statuses } = deps;
  const status: OpenRoute = {
    contract: waitingRoomContracts.getRoomStatus,
    paramLength: eventIdLength,
    cacheControl: forASecond,
    answerTo: (_headers, eventId) => statuses.of(eventId)?.bytes ?? null,
  };
  const check: OpenRoute = {
    contract: waitingRoomContracts.checkWaitingRoom,
    paramLength: eventIdLength,
    cacheControl: 'no-store',
    answerTo(headers, eventId, requestId) {
      const kept = cookies.shown(headers, eventId);
      // Perhaps somebody else's: the usual way looks closer.
      if (kept.length > 0 && !kept.includes(requestId)) return null;
      const place = desk.waiting(eventId, requestId);
      return place === null ? null : jsonOf(place);
    },
  };
  return [status, check];
}

/** `CheckAnswer`: numbers and nulls, and a requestId of which no character needs to be escaped. */
function jsonOf(place: Place): string {
  const { requestId, era, position, line, ahead, entry, servingCounter, servingLine, estimatedWait, nextPoll } = place;
  return (
    `{"admitted":false,"requestId":"${requestId}","era":${era},"position":${position},"line":${line},"ahead":${ahead},` +
    `"entry":${entry},"servingCounter":${servingCounter},"servingLine":${servingLine},` +
    `"estimatedWait":${estimatedWait},"nextPoll":${nextPoll}}`
  );
}
