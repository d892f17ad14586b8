import { queryOptions } from '@tanstack/react-query';
import { api } from '../app/api.ts';

export function oneOrder(orderId: string) {
  return queryOptions({
    queryKey: ['payments', 'order', orderId],
    queryFn: ({ signal }) => api.getOrder({ params: { orderId } }, { signal }),
    staleTime: 0,
    // Just long enough to be handed from one page to the next.
    gcTime: 5_000,
    refetchOnWindowFocus: 'always',
  });
}

/** As many as one person pays for in a day or two; older ones need no way back to their page. */
const paymentsLimit = 50;

/** The newest payment of each reservation, by the reservation's id. */
export const myPayments = queryOptions({
  queryKey: ['payments', 'my'],
  queryFn: async ({ signal }) => {
    const { items } = await api.listMyPayments({ query: { limit: paymentsLimit } }, { signal });
    return new Map(items.toReversed().map((payment) => [payment.referenceId, payment]));
  },
  staleTime: 0,
});
