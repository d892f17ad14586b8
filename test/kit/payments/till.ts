import type { OrderView, Settled } from '#modules/payments/schemas.ts';
import { type Answer, createCaller, post } from '../ticketing/counter.ts';
import type { Shopper } from '../ticketing/entry.ts';

export type Method = OrderView['method'];

/** Where people pay, and are paid back. */
export interface Till {
  prepare(who: Shopper, reservationId: string, method: Method): Promise<Answer<OrderView>>;
  /** By a card of the sandbox; null: opens its virtual account. */
  pay(who: Shopper, call: { orderId: string; card: string | null; key: string }): Promise<Answer<Settled>>;
  order(who: Shopper, orderId: string): Promise<Answer<OrderView>>;
  /** Of tickets, by their owner; null: all that are left. */
  cancel(
    who: Shopper,
    call: { paymentKey: string; ticketIds: readonly string[] | null; key: string },
  ): Promise<Answer<Settled>>;
  /** By staff. */
  goodwill(who: Shopper, call: { paymentKey: string; amountKrw: number; key: string }): Promise<Answer<Settled>>;
  tickets(who: Shopper, reservationId: string): Promise<Answer<{ items: { id: string; state: string }[] }>>;
  bank(who: Shopper, orderId: string, act: 'deposit' | 'reverse'): Promise<Answer<{ done: boolean }>>;
}

const refundAccount = { bank: '우르르은행', number: '110-22-3333', holder: '김우르' };

/** Calls one of the processes, whichever `pick` says at that moment. */
export function createTill(pick: () => string): Till {
  const call = createCaller(pick);
  return {
    prepare: (who, referenceId, method) =>
      call(
        who,
        post('/api/payments/prepare', {
          ...{ paymentType: 'reservation', referenceId, method },
          ...(method === 'virtual_account' && { refundAccount }),
        }),
      ),
    pay: (who, { orderId, card, key }) =>
      call(who, {
        ...post('/api/payments/process', { orderId, ...(card !== null && { card: { number: card } }) }),
        key,
      }),
    order: (who, orderId) => call(who, { path: `/api/payments/order/${orderId}` }),
    cancel: (who, { paymentKey, ticketIds, key }) =>
      call(who, {
        ...post(`/api/payments/${paymentKey}/cancel`, { reason: 'changed my mind', ...(ticketIds && { ticketIds }) }),
        key,
      }),
    goodwill: (who, { paymentKey, amountKrw, key }) =>
      call(who, { ...post(`/api/payments/${paymentKey}/cancel`, { reason: 'a cold hall', amountKrw }), key }),
    tickets: (who, reservationId) => call(who, { path: `/api/tickets/my?reservationId=${reservationId}` }),
    bank: (who, orderId, act) => call(who, post(`/api/payments/sandbox/${orderId}/${act}`)),
  };
}
