import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api } from '../app/api.ts';
import type { SearchParams } from '../app/search-params.ts';
import type { EventStatus } from './event-types.ts';

/** As many as the server gives at once: the home page sorts them itself. */
const homeLimit = 100;
const pageLimit = 12;

export function eventsOfStatus(status: EventStatus) {
  return queryOptions({
    queryKey: ['events', 'status', status],
    queryFn: ({ signal }) => api.listEvents({ query: { status, limit: homeLimit } }, { signal }),
  });
}

export function eventSearch({ q, status }: SearchParams) {
  return infiniteQueryOptions({
    queryKey: ['events', 'search', q ?? '', status ?? ''],
    queryFn: ({ signal, pageParam }) =>
      api.listEvents({ query: { q, status, limit: pageLimit, cursor: pageParam ?? undefined } }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  });
}

export function eventsOfArtist(artistId: string) {
  return queryOptions({
    queryKey: ['events', 'artist', artistId],
    queryFn: ({ signal }) => api.listEvents({ query: { artistId, limit: homeLimit } }, { signal }),
  });
}

export function oneEvent(eventId: string) {
  return queryOptions({
    queryKey: ['events', 'one', eventId],
    queryFn: ({ signal }) => api.getEvent({ params: { eventId } }, { signal }),
  });
}
