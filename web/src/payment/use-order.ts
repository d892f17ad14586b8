import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useSessionHint } from '../app/session-hint.ts';
import { useServerNow } from '../app/use-server-now.ts';
import type { Order } from './order-types.ts';
import { type PayFacts, type PayStage, payStage, pollMs, waitMaxMs } from './pay-stage.ts';
import { listenToPayment } from './payment-news.ts';
import { oneOrder } from './payment-queries.ts';

export interface OrderFollowed {
  readonly query: UseQueryResult<Order>;
  /** Null while the order has not been read. */
  readonly stage: PayStage | null;
  readonly nowMs: number;
  /** What is waited for has not come for so long that it is no longer asked for. */
  readonly isLong: boolean;
  /** Begins to ask anew. */
  askAgain(): void;
}

/** An order as it stands, asked for as often as its step is worth, and at once when another tab has news. */
export function useOrder(
  orderId: string,
  { isSending, unsureAtMs }: { isSending: boolean; unsureAtMs: number },
): OrderFollowed {
  const nowMs = useServerNow(true);
  const shown = useRef<{ stage: PayStage | null; sinceMs: number }>({ stage: null, sinceMs: Date.now() });
  const [, redraw] = useState(0);
  const factsOf = (order: Order, readAtMs: number): PayFacts => ({
    ...{ order, nowMs, isSending, isUnsure: readAtMs < unsureAtMs },
  });
  const query = useQuery({
    ...oneOrder(orderId),
    refetchInterval: ({ state: { data, dataUpdatedAt } }) =>
      data === undefined
        ? false
        : pollMs(payStage(factsOf(data, dataUpdatedAt)), Date.now() - shown.current.sinceMs, isSettled(data)),
  });
  const { data: order, refetch } = query;
  const stage = order === undefined ? null : payStage(factsOf(order, query.dataUpdatedAt));
  if (shown.current.stage !== stage) shown.current = { stage, sinceMs: Date.now() };
  const reservationId = order?.referenceId;
  useEffect(
    () => (reservationId === undefined ? undefined : listenToPayment(reservationId, () => void refetch())),
    [reservationId, refetch],
  );
  const user = useSessionHint();
  const readAs = useRef(user);
  // Signed out, or in as somebody else, in another tab: whether the order may still be read is asked at once.
  useEffect(() => {
    if (readAs.current === user) return;
    readAs.current = user;
    void refetch();
  }, [user, refetch]);
  return {
    query,
    stage,
    nowMs,
    isLong: Date.now() - shown.current.sinceMs >= waitMaxMs,
    askAgain() {
      shown.current = { ...shown.current, sinceMs: Date.now() };
      redraw((times) => times + 1);
      void refetch();
    },
  };
}

/** Nothing more is to come by itself: the tickets are there, or all of the money is back. */
export function isSettled({ state, reservation, payment }: Order): boolean {
  if (state === 'refunded') return payment !== null && payment.refundPendingKrw === 0;
  return state === 'paid' && reservation?.status !== 'paying' && reservation?.status !== 'waiting_for_deposit';
}
