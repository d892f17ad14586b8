import { platformErrors } from '#platform/errors.ts';
import { PreparedJson, type RouteHandler } from '#platform/http/contract.ts';
import { ticketingErrors } from '../errors.ts';
import type { EventBooks } from '../ports.ts';
import type { LiveMap } from '../service/live-map.ts';
import type { SeatMapAnswers } from '../service/seat-map-answers.ts';
import type { LiveMaps } from '../service/seat-maps.ts';
import type { seatContracts } from './seat-contracts.ts';

export interface SeatMapHandlers {
  readonly getSeatMap: RouteHandler<typeof seatContracts.getSeatMap>;
  readonly getSectionSeats: RouteHandler<typeof seatContracts.getSectionSeats>;
}

export function createSeatMapHandlers(deps: {
  mapOf: (eventId: string) => Promise<LiveMap>;
  answers: SeatMapAnswers;
}): SeatMapHandlers {
  const { mapOf, answers } = deps;
  return {
    async getSeatMap({ params, user }) {
      const { body, etag } = answers.whole(await mapOf(params.eventId), user.userId);
      return new PreparedJson(body, etag);
    },

    async getSectionSeats({ params, user }) {
      const section = answers.section(await mapOf(params.eventId), params.section, user.userId);
      if (section === null) throw platformErrors.fault('NOT_FOUND');
      return new PreparedJson(section);
    },
  };
}

/** The map of an event whose seats can be shown. */
export function createMapOf(deps: {
  maps: Pick<LiveMaps, 'open'>;
  books: EventBooks;
}): (eventId: string) => Promise<LiveMap> {
  const { maps, books } = deps;
  return async (eventId) => {
    const book = await books.get(eventId);
    if (book === null) throw platformErrors.fault('NOT_FOUND');
    if (!book.isReady) throw ticketingErrors.fault('SEATS_NOT_READY');
    const map = await maps.open(eventId);
    if (map === null) throw ticketingErrors.fault('SEATS_NOT_READY');
    return map;
  };
}
