import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api } from '../app/api.ts';
import type { Reservation } from './reservation-types.ts';

const pageLimit = 50;

export const myReservations = infiniteQueryOptions({
  queryKey: ['reservations', 'my'],
  queryFn: ({ signal, pageParam }) =>
    api.listMyReservations({ query: { limit: pageLimit, cursor: pageParam ?? undefined } }, { signal }),
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.nextCursor,
});

/** What is held for an event right now, without a slot: whoever holds something can always reach it. */
export function myHoldOf(eventId: string, nowMs: () => number) {
  return queryOptions({
    queryKey: ['reservations', 'hold', eventId],
    queryFn: async ({ signal }): Promise<Reservation | null> => {
      const { items } = await api.listMyReservations({ query: { limit: pageLimit } }, { signal });
      const isLive = ({ status, expiresAt }: Reservation) =>
        status === 'paying' ||
        status === 'waiting_for_deposit' ||
        (status === 'pending' && Date.parse(expiresAt) > nowMs());
      return items.find((item) => item.eventId === eventId && isLive(item)) ?? null;
    },
    staleTime: 0,
    gcTime: 0,
  });
}

export function ticketsOf(reservationId: string) {
  return queryOptions({
    queryKey: ['tickets', 'of', reservationId],
    queryFn: async ({ signal }) =>
      (await api.listMyTickets({ query: { reservationId, limit: 100 } }, { signal })).items,
  });
}
