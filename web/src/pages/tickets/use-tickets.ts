import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { isUnreachable } from '../../api/problem.ts';
import { api } from '../../app/api.ts';
import { serverNow } from '../../app/server-clock.ts';
import { keepCode, keepTickets, readTickets } from '../../reservations/kept-tickets.ts';
import type { Ticket } from '../../reservations/reservation-types.ts';

const ticketsMax = 100;

/** The tickets of the user who is signed in; without a network those that were seen last, and when. */
export function useTickets(name: string) {
  const query = useQuery({
    queryKey: ['tickets', 'my', name],
    queryFn: async ({ signal }): Promise<readonly Ticket[]> =>
      (await api.listMyTickets({ query: { limit: ticketsMax } }, { signal })).items,
  });
  useEffect(() => {
    if (query.data !== undefined) keepTickets(name, query.data, serverNow());
  }, [name, query.data]);
  const isAway = query.data === undefined && (query.fetchStatus === 'paused' || isUnreachable(query.error));
  const kept = isAway ? readTickets(name) : null;
  return { query, tickets: query.data ?? kept?.tickets, keptAtMs: kept?.savedAtMs ?? null };
}

/** What opens the door. It changes only with the ticket's version. */
export function useTicketCode(name: string, ticket: Ticket) {
  const isGood = ticket.state === 'issued';
  const query = useQuery({
    queryKey: ['tickets', 'code', ticket.id, ticket.version],
    queryFn: async ({ signal }) => {
      // The call also answers with a picture; asked for JSON, as every call of the pages is, it answers with this.
      const answer = (await api.getTicketQr({ params: { ticketId: ticket.id } }, { signal })) as { code: string };
      return answer.code;
    },
    enabled: isGood,
    staleTime: Number.POSITIVE_INFINITY,
  });
  useEffect(() => {
    if (query.data !== undefined) keepCode(name, ticket.id, query.data);
  }, [name, ticket.id, query.data]);
  const code = query.data ?? (isGood ? readTickets(name)?.codes[ticket.id] : undefined);
  return { code, isGood, query };
}
