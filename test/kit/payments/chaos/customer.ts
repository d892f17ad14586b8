import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Settled } from '#modules/payments/schemas.ts';
import type { Answer, TicketCounter } from '#test/kit/ticketing/counter.ts';
import { aShopper, type Shopper } from '#test/kit/ticketing/entry.ts';
import { insist } from '#test/kit/ticketing/insist.ts';
import type { Method, Till } from '../till.ts';
import type { Purchase } from './plan.ts';

/** One attempt to pay, under one Idempotency-Key, and what its buyer was told last. */
export interface Paid {
  readonly orderId: string;
  readonly card: string | null;
  readonly key: string;
  told: Pick<Answer<Settled>, 'status' | 'code' | 'body'>;
}

/** Somebody who buys, and all that they know of it. */
export interface Customer {
  readonly plan: Purchase;
  readonly who: Shopper;
  held: { readonly id: string; readonly seatIds: readonly string[]; readonly key: string } | null;
  readonly paid: Paid[];
  readonly accounts: Set<string>;
  /** Has asked for money back, by a cancellation or at the bank. */
  hasTurnedBack: boolean;
}

export interface Counters {
  readonly eventId: string;
  readonly counter: TicketCounter;
  readonly till: Till;
  /** Of the purchase of this number. */
  readonly seatsOf: (number: number) => readonly string[];
  /** How often each answer came. */
  readonly answers: Map<string, number>;
  /** Answers that no caller could have understood, and refusals that nobody should get. */
  readonly unclear: string[];
}

const looksMax = 12;
const lookEveryMs = 500;
const patience = 30;
/** What may be answered to somebody who pays, prepares or cancels, beside yes. */
const refusals = [
  ...['PAYMENT_DECLINED', 'RESERVATION_EXPIRED', 'RESERVATION_CLOSED', 'NOT_CANCELLABLE', 'PAYMENT_NOT_REFUNDABLE'],
  ...['PAYMENT_IN_PROGRESS', 'ORDER_PAID', 'ORDER_CLOSED'],
];

export function createCustomers({ eventId, counter, till, seatsOf, answers, unclear }: Counters) {
  /** Asks until there is an answer, as a page does. */
  async function ask<Body>(what: string, call: () => Promise<Answer<Body>>, allowed = refusals): Promise<Answer<Body>> {
    const answer = await insist(async () => {
      const one = await call();
      const name = `${what} ${one.status}${one.code === null ? '' : ` ${one.code}`}`;
      answers.set(name, (answers.get(name) ?? 0) + 1);
      return one;
    }, unclear);
    if (answer.status >= 400 && !allowed.includes(answer.code ?? '')) unclear.push(`${what}: ${answer.text}`);
    return answer;
  }

  async function hold(customer: Customer): Promise<boolean> {
    const { plan, who } = customer;
    const wishes = [plan.wantsSeatsOf, plan.number].filter((number) => number !== null);
    for (const number of wishes) {
      const seatIds = seatsOf(number).slice(0, plan.seatCount);
      const key = randomUUID();
      const { status, body } = await ask('hold', () => counter.reserve(who, seatIds, key), ['SEAT_TAKEN']);
      if (status !== 201) continue;
      customer.held = { id: body.id, seatIds, key };
      return true;
    }
    return false;
  }

  /** Repeats while another call of the same intent is at work. */
  async function payOnce(customer: Customer, orderId: string, card: string | null): Promise<Paid> {
    const key = randomUUID();
    for (let tried = 1; ; tried++) {
      const told = await ask('pay', () => till.pay(customer.who, { orderId, card, key }));
      const paid = { orderId, card, key, told };
      if (told.code === 'PAYMENT_IN_PROGRESS' && tried < patience) await delay(lookEveryMs);
      else {
        customer.paid.push(paid);
        return paid;
      }
    }
  }

  async function payBy(customer: Customer, reservationId: string, method: Method): Promise<void> {
    const { plan, who } = customer;
    const order = await ask('prepare', () => till.prepare(who, reservationId, method));
    if (order.status !== 201) return;
    const { orderId } = order.body;
    if (method === 'virtual_account') customer.accounts.add(orderId);
    for (const card of method === 'card' ? plan.cards : [null]) {
      const tabs = plan.mood === 'two-tabs' ? 2 : 1;
      const [paid] = await Promise.all(Array.from({ length: tabs }, () => payOnce(customer, orderId, card)));
      if (paid?.told.status !== 402) break;
    }
    await untilDecided(customer, orderId);
    if (method === 'virtual_account') await toTheBank(customer, orderId);
  }

  async function untilDecided({ who }: Customer, orderId: string): Promise<void> {
    for (let look = 0; look < looksMax; look++) {
      const { body } = await ask('order', () => till.order(who, orderId));
      if (!['paying', 'unknown'].includes(body.state)) return;
      await delay(lookEveryMs);
    }
  }

  async function toTheBank(customer: Customer, orderId: string): Promise<void> {
    const { bank } = customer.plan;
    if (bank === 'never' || bank === 'late') return;
    await ask('deposit', () => till.bank(customer.who, orderId, 'deposit'));
    if (bank !== 'in-time') customer.hasTurnedBack = true;
    if (bank === 'reversed-at-once' || bank === 'again')
      await ask('reverse', () => till.bank(customer.who, orderId, 'reverse'));
  }

  async function cancelAll(customer: Customer, reservationId: string): Promise<void> {
    customer.hasTurnedBack = true;
    await ask('cancel', () => counter.cancel(customer.who, reservationId));
  }

  async function cancelOne(customer: Customer, reservationId: string): Promise<void> {
    const { who } = customer;
    const paymentKey = customer.paid.findLast(({ told }) => told.status === 200)?.told.body.payment.paymentKey;
    const { body } = await ask('tickets', () => till.tickets(who, reservationId));
    const [ticket] = body.items;
    if (ticket === undefined || typeof paymentKey !== 'string') return;
    customer.hasTurnedBack = true;
    const key = randomUUID();
    await ask('refund', () => till.cancel(who, { paymentKey, ticketIds: [ticket.id], key }));
  }

  return {
    ask,
    come: (plan: Purchase): Customer => ({
      ...{ plan, who: aShopper(eventId), held: null, paid: [], accounts: new Set(), hasTurnedBack: false },
    }),

    async buy(customer: Customer): Promise<void> {
      const { mood, method, after } = customer.plan;
      if (!(await hold(customer)) || customer.held === null || mood === 'never-pays') return;
      const { id } = customer.held;
      const other = method === 'card' ? 'virtual_account' : 'card';
      await Promise.all([
        payBy(customer, id, method),
        ...(mood === 'both-methods' ? [payBy(customer, id, other)] : []),
        ...(mood === 'cancels-while-paying' ? [cancelAll(customer, id)] : []),
      ]);
      if (after === 'cancels') await cancelAll(customer, id);
      if (after === 'cancels-one') await cancelOne(customer, id);
    },

    /** What the bank does when all is quiet. */
    async lateBank({ plan, who, accounts }: Customer): Promise<void> {
      for (const orderId of accounts) {
        if (plan.bank === 'late' || plan.bank === 'again')
          await ask('late deposit', () => till.bank(who, orderId, 'deposit'));
        if (plan.bank === 'reversed') await ask('late reverse', () => till.bank(who, orderId, 'reverse'));
      }
    },
  };
}

export type Customers = ReturnType<typeof createCustomers>;
