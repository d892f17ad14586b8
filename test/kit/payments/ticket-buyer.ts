import { randomUUID } from 'node:crypto';
import type { Settled } from '#modules/payments/schemas.ts';
import { eventually } from '../faults.ts';
import { aSignedIn } from '../queue/show.ts';
import { type Answer, createTicketCounter } from '../ticketing/counter.ts';
import { aShopper, type Shopper } from '../ticketing/entry.ts';
import { insist } from '../ticketing/insist.ts';
import { createTill } from './till.ts';

export interface BoughtTickets {
  readonly who: Shopper;
  readonly reservationId: string;
  readonly orderId: string;
  /** Empty until it is paid. */
  paymentId: string;
  paymentKey: string;
}

/** Buys seats of an event by their best available, and gives them back. What it is refused is an error. */
export interface TicketBuyer {
  /** Holds so many seats and prepares an order. */
  prepare(seats: number): Promise<BoughtTickets>;
  pay(bought: BoughtTickets, card?: string): Promise<Answer<Settled>>;
  /** All of that, until the tickets are there. */
  buy(seats: number): Promise<BoughtTickets>;
  /** One ticket that is still valid. */
  cancelOne(bought: BoughtTickets): Promise<void>;
  giveGoodwill(bought: BoughtTickets, amountKrw: number): Promise<void>;
}

const approves = '4242424242424242';
const withinMs = 90_000;

export function createTicketBuyer({ eventId, url }: { eventId: string; url: string }): TicketBuyer {
  const counter = createTicketCounter(eventId, () => url);
  const till = createTill(() => url);

  async function pay(bought: BoughtTickets, card = approves) {
    const answer = await till.pay(bought.who, { orderId: bought.orderId, card, key: randomUUID() });
    if (answer.status >= 300) return answer;
    bought.paymentId = answer.body.payment.id;
    bought.paymentKey = answer.body.payment.paymentKey ?? '';
    return answer;
  }

  async function prepare(seats: number): Promise<BoughtTickets> {
    const who = aShopper(eventId);
    const key = randomUUID();
    // Seats that were built a moment ago are not offered by every process yet.
    const held = expectStatus(201, await insist(() => counter.bestAvailable(who, { count: seats }, key)));
    const { orderId } = expectStatus(201, await till.prepare(who, held.id, 'card'));
    return { who, reservationId: held.id, orderId, paymentId: '', paymentKey: '' };
  }

  return {
    prepare,
    pay,
    async buy(seats) {
      const bought = await prepare(seats);
      expectStatus(200, await pay(bought));
      await eventually(
        async () => (await counter.reservation(bought.who, bought.reservationId)).body.status === 'confirmed',
        { withinMs, what: 'the tickets' },
      );
      return bought;
    },
    async cancelOne({ who, reservationId, paymentKey }) {
      const { items } = expectStatus(200, await till.tickets(who, reservationId));
      const ticket = items.find(({ state }) => state === 'issued');
      if (ticket === undefined) throw new Error('no ticket is left to be cancelled');
      expectStatus(200, await till.cancel(who, { paymentKey, ticketIds: [ticket.id], key: randomUUID() }));
    },
    async giveGoodwill({ paymentKey }, amountKrw) {
      const staff = aShopper(eventId, aSignedIn('operator'));
      expectStatus(200, await till.goodwill(staff, { paymentKey, amountKrw, key: randomUUID() }));
    },
  };
}

function expectStatus<Body>(status: number, answer: Answer<Body>): Body {
  if (answer.status !== status) throw new Error(`${answer.status} instead of ${status}: ${answer.text}`);
  return answer.body;
}
