import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
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

/** What is held for an event right now, without a slot: anyone who holds something can always reach it. */
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

export function oneReservation(reservationId: string) {
  return queryOptions({
    queryKey: ['reservations', 'lines', reservationId],
    queryFn: ({ signal }): Promise<Reservation> => api.getReservation({ params: { reservationId } }, { signal }),
  });
}

/** How often it is asked what has become of a hold: a payment is waited for, anything else is rare. */
const payingPollMs = 3_000;
const heldPollMs = 15_000;

/** One of one's own reservations as it stands now, asked for again and again. */
export function holdStanding({ id, status }: Pick<Reservation, 'id' | 'status'>) {
  const pollMs = status === 'pending' ? heldPollMs : payingPollMs;
  return queryOptions({
    queryKey: ['reservations', 'one', id],
    queryFn: ({ signal }): Promise<Reservation> => api.getReservation({ params: { reservationId: id } }, { signal }),
    // Always the same: another one at each drawing would begin the wait anew each second. Holds begin at moments of their own.
    refetchInterval: pollMs,
    refetchOnWindowFocus: 'always',
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

/** What would go back if these tickets were cancelled now. What was told before stays in sight until it has come. */
export function refundQuote(reservationId: string, ticketIds: readonly string[]) {
  return queryOptions({
    queryKey: ['reservations', 'refund', reservationId, ...ticketIds],
    queryFn: ({ signal }) =>
      api.getRefundQuote({ params: { reservationId }, query: { ticketIds: ticketIds.join() } }, { signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
  });
}
