import { randomUUID } from 'node:crypto';
import type { Answer, TicketCounter } from './counter.ts';
import { aShopper, type Shopper } from './entry.ts';
import { insist } from './insist.ts';

export interface Sale {
  readonly who: Shopper;
  readonly key: string;
  readonly seatIds: readonly string[];
  readonly reservationId: string;
  /** What the buyer was told last. */
  status: string;
}

/** People who buy one after another, free seats of an event that costs nothing, until they are stopped. */
export interface Customers {
  readonly sales: readonly Sale[];
  /** How often each status came, of every single answer. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Whose fault lies with us: each status of 500 and more with its code, unless ticketing says that it is busy and when to come again. */
  readonly faults: readonly string[];
  /** Answers that no caller could have understood, and refusals that nobody should get. */
  readonly unclear: readonly string[];
  /** Calls that were lost with their connection. */
  readonly broken: () => number;
  /** Each finishes what is in hand. */
  stop(): Promise<void>;
}

const callers = 4;

/**
 * Every third of them asks for a seat of the one before and is refused. Of the others a third only hold, a third confirm, and a
 * third confirm and cancel. Whatever is open is asked again with the same key.
 */
export function startCustomers(options: {
  eventId: string;
  counter: TicketCounter;
  /** In order; two are taken at a time. */
  seatIds: readonly string[];
}): Customers {
  const { eventId, counter, seatIds } = options;
  const sales: Sale[] = [];
  const statuses = new Map<number, number>();
  const faults: string[] = [];
  const unclear: string[] = [];
  let broken = 0;
  let isStopped = false;
  let next = 0;

  const ask = <Body>(call: () => Promise<Answer<Body>>) =>
    insist(async () => {
      const answer = await call().catch((error: unknown) => {
        broken += 1;
        throw error;
      });
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      if (answer.status >= 500 && answer.code !== 'HOLDS_BUSY') faults.push(`${answer.status} ${answer.code}`);
      if (answer.status >= 500 && answer.status !== 503) unclear.push(`${answer.status}: ${answer.text}`);
      return answer;
    }, unclear);

  async function buy(number: number): Promise<void> {
    const who = aShopper(eventId);
    const key = randomUUID();
    const wanted = seatIds.slice(2 * number, 2 * number + 2);
    const answer = await ask(() => counter.reserve(who, wanted, key));
    if (answer.status !== 201) return void unclear.push(`free seats: ${answer.text}`);
    const sale: Sale = { who, key, seatIds: wanted, reservationId: answer.body.id, status: answer.body.status };
    sales.push(sale);
    if (number % 3 === 0) return refusedNeighbour(wanted);
    for (const step of number % 3 === 1 ? (['confirm'] as const) : (['confirm', 'cancel'] as const)) {
      const done = await ask(() => counter[step](who, sale.reservationId));
      if (done.status !== 200) return void unclear.push(`${step}: ${done.text}`);
      sale.status = done.body.status;
    }
  }

  async function refusedNeighbour(wanted: readonly string[]): Promise<void> {
    const answer = await ask(() => counter.reserve(aShopper(eventId), wanted.slice(0, 1), randomUUID()));
    if (answer.code !== 'SEAT_TAKEN') unclear.push(`a seat that is held: ${answer.text}`);
  }

  async function comeOneByOne(): Promise<void> {
    while (!isStopped && 2 * next + 2 <= seatIds.length) {
      const number = next++;
      await buy(number).catch((error: unknown) => void unclear.push(String(error)));
    }
  }
  const ended = Promise.all(Array.from({ length: callers }, comeOneByOne));
  return {
    sales,
    statuses,
    faults,
    unclear,
    broken: () => broken,
    async stop() {
      isStopped = true;
      await ended;
    },
  };
}
