import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import { ApiProblem } from '../api/problem.ts';
import type { CallOptions } from '../api/runtime.ts';
import { api } from '../app/api.ts';
import { attemptIntent } from '../booking/intent-attempt.ts';
import { createIntentKeys } from '../booking/intent-key.ts';
import { randomKey, tabStorage } from '../booking/kept-in-tab.ts';
import type { Order } from './order-types.ts';
import type { PayChoice } from './pay-choice.ts';
import { tellPaymentNews } from './payment-news.ts';
import { oneOrder } from './payment-queries.ts';

export interface PayAct {
  readonly isSending: boolean;
  /** Why nothing was paid. */
  readonly problem: ApiProblem | null;
  /** When something ended whose outcome only the server knows; what was read of an order before says nothing. */
  readonly unsureAtMs: number;
  /** Pays; resolves with the order that it was paid by, which another method may make another one. */
  pay(order: Order, choice: PayChoice): Promise<string>;
  /** Takes what the provider's window has agreed with the buyer. */
  confirm(order: Pick<Order, 'orderId' | 'referenceId'>, agreed: { paymentKey: string; amount: number }): Promise<void>;
  clear(): void;
}

/** Longer than the server takes to say that it does not know yet. */
const timeoutMs = 30_000;

/** Sends one thing at a time, under one key per intent, and then asks how the order stands. */
export function usePay(name: string): PayAct {
  const queries = useQueryClient();
  const keys = useMemo(
    () => createIntentKeys({ name: `urr.pay.${name}`, storage: tabStorage, newKey: randomKey }),
    [name],
  );
  const isUnderWay = useRef(false);
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [unsureAtMs, setUnsureAt] = useState(0);

  async function attempt(
    order: Pick<Order, 'orderId' | 'referenceId'>,
    intent: unknown,
    send: (options: CallOptions) => Promise<unknown>,
  ): Promise<void> {
    try {
      await attemptIntent({
        intent,
        keys,
        send: (idempotencyKey) => send({ idempotencyKey, timeoutMs }),
        wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      });
      setUnsureAt(Date.now());
    } catch (error) {
      const found = error instanceof ApiProblem ? error : new ApiProblem({ code: 'PAGE', status: 0, cause: error });
      if (isClear(found)) setProblem(found);
      else setUnsureAt(Date.now());
    } finally {
      tellPaymentNews(order.referenceId);
      // What was asked for before the outcome was known says nothing about it.
      await queries.cancelQueries(oneOrder(order.orderId));
      await queries.fetchQuery(oneOrder(order.orderId)).catch(() => undefined);
    }
  }

  async function alone<Result>(work: () => Promise<Result>, otherwise: Result): Promise<Result> {
    if (isUnderWay.current) return otherwise;
    isUnderWay.current = true;
    setSending(true);
    setProblem(null);
    try {
      return await work();
    } catch (error) {
      setProblem(error instanceof ApiProblem ? error : new ApiProblem({ code: 'PAGE', status: 0, cause: error }));
      // Nothing was sent; but the order may not be what it was.
      void queries.invalidateQueries({ queryKey: ['payments', 'order'] });
      return otherwise;
    } finally {
      isUnderWay.current = false;
      setSending(false);
    }
  }

  return {
    isSending,
    problem,
    unsureAtMs,
    pay: (order, choice) =>
      alone(async () => {
        const { orderId, referenceId } = await orderFor(order, choice);
        const cardNumber = choice.method === 'card' ? choice.cardNumber : null;
        const body = cardNumber === null ? { orderId } : { orderId, card: { number: cardNumber } };
        // Only the last digits are kept in the tab, and only until the outcome is known.
        const intent = { orderId, card: cardNumber?.slice(-4) ?? null };
        await attempt({ orderId, referenceId }, intent, (options) => api.processPayment({ body }, options));
        return orderId;
      }, order.orderId),
    confirm: (order, { paymentKey, amount }) =>
      alone(async () => {
        const body = { orderId: order.orderId, paymentKey, amount };
        await attempt(order, body, (options) => api.confirmPayment({ body }, options));
      }, undefined),
    clear: () => setProblem(null),
  };
}

/** The order itself, or the one of another method: preparing again finds it, with the account that was given last. */
export async function orderFor(order: Order, choice: PayChoice): Promise<Pick<Order, 'orderId' | 'referenceId'>> {
  if (choice.method === 'card' && order.method === 'card') return order;
  const { paymentType, referenceId } = order;
  const { method } = choice;
  const account = choice.method === 'virtual_account' ? { refundAccount: choice.refundAccount } : {};
  return api.preparePayment({ body: { paymentType, referenceId, method, ...account } });
}

/** Nothing was charged, for sure. */
function isClear({ status, code }: ApiProblem): boolean {
  return (status >= 400 && status < 500 && code !== 'IDEMPOTENCY_IN_FLIGHT') || code === 'PROVIDER_UNAVAILABLE';
}
