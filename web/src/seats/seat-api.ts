import { queryOptions } from '@tanstack/react-query';
import { api } from '../app/api.ts';
import type { SeatClient } from './seat-feed.ts';

export function seatClientOf(eventId: string): SeatClient {
  const params = { eventId };
  return {
    map: (signal) => api.getSeatMap({ params }, { signal }),
    since: (version, signal) => api.streamSeats({ params, query: { since: version } }, { signal }),
  };
}

/** The drawing never changes: a new one has a new id. */
export function layoutOf(layoutId: string | undefined) {
  return queryOptions({
    queryKey: ['layout', layoutId],
    queryFn: ({ signal }) => api.getLayout({ params: { layoutId: layoutId ?? '' } }, { signal }),
    enabled: layoutId !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
}
