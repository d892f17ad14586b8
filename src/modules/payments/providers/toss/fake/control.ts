import { type FakeBehaviour, isBehaviour } from './behaviours.ts';
import { cancel, checkCancel, createPayment, deposit, type NewPayment, reverse, settle } from './books.ts';
import { answerOf } from './calls.ts';
import { shownPayment } from './shown.ts';
import type { FakeStore } from './state.ts';
import type { FakeTime } from './time.ts';

/** `refuses`: connections are cut. `hangs`: nothing is answered. */
export type FakeMode = 'up' | 'refuses' | 'hangs';

/** What the buyer, the bank and the weather do. The same acts as functions for tests, and by HTTP for people (server.ts). */
export interface FakeControl {
  /** The buyer has been to the window: a key that can be confirmed. */
  pay(order: {
    readonly orderId: string;
    readonly amount: number;
    readonly method?: 'CARD' | 'VIRTUAL_ACCOUNT';
    readonly orderName?: string;
    readonly behaviour?: FakeBehaviour;
    readonly dueInMs?: number;
  }): string;
  deposit(paymentKey: string): void;
  reverse(paymentKey: string): void;
  /** Somebody refunds at Toss's own console. */
  refund(paymentKey: string, amount: number): void;
  shown(paymentKey: string): object | null;
  now(): number;
  advance(ms: number): void;
  setMode(mode: FakeMode): void;
  mode(): FakeMode;
  setWebhookUrl(url: string | null): void;
  webhookUrl(): string | null;
  /** Webhooks that wait to be sent or to be sent again, and those that nobody took. */
  webhooks(): { readonly waiting: number; readonly given: number; readonly nextAtMs: number | null };
}

const hourMs = 60 * 60_000;

export function createControl({
  store,
  time,
  webhookUrl,
}: {
  store: FakeStore;
  time: FakeTime;
  webhookUrl: string | null;
}): FakeControl {
  const { state } = store;
  let mode: FakeMode = 'up';
  let url = webhookUrl;
  const act = <Result>(work: (nowMs: number) => Result): Result => {
    settle(state, time.now(), answerOf);
    const result = work(time.now());
    store.save();
    return result;
  };
  return {
    pay: ({ orderId, amount, method = 'CARD', orderName = 'An order', behaviour = 'approves', dueInMs = hourMs }) => {
      const wanted = { orderId, amount, method, orderName, behaviour };
      return act(
        (nowMs) => createPayment(state, { ...wanted, dueAtMs: nowMs + dueInMs } satisfies NewPayment, nowMs).paymentKey,
      );
    },
    deposit: (paymentKey) => act((nowMs) => deposit(state, paymentKey, nowMs)),
    reverse: (paymentKey) => act((nowMs) => reverse(state, paymentKey, nowMs)),
    refund: (paymentKey, amount) =>
      act((nowMs) => {
        const refundReceiveAccount = { bank: '88', accountNumber: '110123456789', holderName: '김우르' };
        const call = { cancelReason: 'at the console', cancelAmount: amount, refundReceiveAccount };
        cancel(state, checkCancel(state, paymentKey, call), call, nowMs);
      }),
    shown: (paymentKey) =>
      act(() => {
        const payment = state.payments[paymentKey];
        return payment === undefined ? null : shownPayment(payment);
      }),
    now: () => time.now(),
    advance(ms) {
      time.advance(ms);
      act(() => {});
    },
    setMode: (wanted) => {
      mode = wanted;
    },
    mode: () => mode,
    setWebhookUrl: (wanted) => {
      url = wanted;
    },
    webhookUrl: () => url,
    webhooks: () => ({
      waiting: state.webhooks.length,
      given: state.given,
      nextAtMs: state.webhooks.length === 0 ? null : Math.min(...state.webhooks.map(({ dueAtMs }) => dueAtMs)),
    }),
  };
}

/** `POST /control/…` in words of HTTP; undefined: there is no such act. */
export function controlByHttp(control: FakeControl, path: string, body: Record<string, unknown>): object | undefined {
  const [, paymentKey = '', what] = /^\/control\/payments\/([\w=-]+)\/(\w+)$/.exec(path) ?? [];
  switch (what ?? path) {
    case '/control/payments':
      return { paymentKey: control.pay(orderOf(body)) };
    case 'deposit':
      control.deposit(paymentKey);
      return control.shown(paymentKey) ?? {};
    case 'reverse':
      control.reverse(paymentKey);
      return control.shown(paymentKey) ?? {};
    case 'refund':
      control.refund(paymentKey, Number(body.amount));
      return control.shown(paymentKey) ?? {};
    case '/control/clock':
      control.advance(Number(body.advanceMs ?? 0));
      return { now: new Date(control.now()).toISOString() };
    case '/control/mode':
      if (!['up', 'refuses', 'hangs'].includes(String(body.mode))) return undefined;
      control.setMode(body.mode as FakeMode); // One of these three, as was just seen.
      return { mode: control.mode() };
    case '/control/webhooks':
      if (typeof body.url === 'string') control.setWebhookUrl(body.url);
      return { url: control.webhookUrl(), ...control.webhooks() };
    default:
      return undefined;
  }
}

export function orderOf(fields: Record<string, unknown>): Parameters<FakeControl['pay']>[0] {
  const { orderId, amount, method, orderName, behaviour, dueInMs } = fields;
  return {
    orderId: String(orderId),
    amount: Number(amount),
    method: method === 'VIRTUAL_ACCOUNT' ? 'VIRTUAL_ACCOUNT' : 'CARD',
    ...(typeof orderName === 'string' && { orderName }),
    ...(isBehaviour(behaviour) && { behaviour }),
    ...(dueInMs !== undefined && { dueInMs: Number(dueInMs) }),
  };
}
