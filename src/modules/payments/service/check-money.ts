import type { Database, Queryable } from '#platform/postgres/database.ts';
import { compareMoney, type OrderMoney, type TicketMoney } from '../domain/money.ts';
import { replayPayment } from '../domain/replay-payment.ts';
import { lostPayment, readHistories, readOrderMoney } from '../storage/money.ts';

export interface MoneyReport {
  readonly payments: number;
  readonly orders: number;
  readonly capturedKrw: number;
  readonly refundedKrw: number;
  /** Orders that a message or a payment is under way for, and that do not agree yet. */
  readonly underWay: number;
  /** Orders that do not agree and that a person has been asked to look at. */
  readonly withPerson: number;
  readonly contradiction: string | null;
}

/** Ticketing's side, for these orders; or a page of all that it knows. */
export interface TicketMoneySource {
  of(orderIds: readonly string[]): Promise<readonly TicketMoney[]>;
  page(after: string | null, limit: number): Promise<readonly TicketMoney[]>;
}

export interface CheckMoneyOptions {
  readonly tickets: TicketMoneySource;
  readonly eventId?: string;
  /** Between two looks at orders that differ: the two sides are not read at the same moment. */
  readonly pause?: () => Promise<void>;
}

const pageRows = 500;
const looksMax = 20;

/**
 * Replays the ledger of every payment, and compares what was taken with what was given for it, order by order and from both sides. An order
 * that differs is looked at again, since its message may be on the way.
 */
export async function checkMoney(database: Database, options: CheckMoneyOptions): Promise<MoneyReport> {
  const eventId = options.eventId ?? null;
  const report = { payments: 0, orders: 0, capturedKrw: 0, refundedKrw: 0, underWay: 0, withPerson: 0 };

  for (let after: string | null = null; ; ) {
    const page = await readHistories(database, { after, limit: pageRows, eventId });
    report.payments += page.length;
    for (const payment of page) {
      const problem = replayPayment(payment);
      if (problem !== null) return { ...report, contradiction: problem };
    }
    after = page.at(-1)?.paymentId ?? null;
    if (page.length < pageRows) break;
  }

  const lost = eventId === null ? await lostPayment(database) : null;
  if (lost !== null) return { ...report, contradiction: `payment ${lost} is in the ledger, and nowhere else` };

  for await (const pairs of allPairs(database, options, eventId)) {
    for (const { money, tickets } of pairs) {
      report.orders += 1;
      report.capturedKrw += money?.capturedKrw ?? 0;
      report.refundedKrw += money?.refundedKrw ?? 0;
      const verdict = await look(database, options, { money, tickets });
      if (verdict === 'under-way') report.underWay += 1;
      else if (verdict === 'with-person') report.withPerson += 1;
      else if (verdict !== 'agree') return { ...report, contradiction: verdict.problem };
    }
  }
  return { ...report, contradiction: null };
}

interface Pair {
  readonly money: OrderMoney | null;
  readonly tickets: TicketMoney | null;
}

/** First all orders of ours, then those that only ticketing has. */
async function* allPairs(
  database: Queryable,
  { tickets }: CheckMoneyOptions,
  eventId: string | null,
): AsyncGenerator<Pair[]> {
  for (let after: string | null = null; ; ) {
    const page: OrderMoney[] = await readOrderMoney(database, { after, limit: pageRows, eventId });
    const known = new Map((await tickets.of(page.map(({ orderId }) => orderId))).map((one) => [one.orderId, one]));
    yield page.map((money) => ({ money, tickets: known.get(money.orderId) ?? null }));
    after = page.at(-1)?.orderId ?? null;
    if (page.length < pageRows) break;
  }
  for (let after: string | null = null; ; ) {
    const page: readonly TicketMoney[] = await tickets.page(after, pageRows);
    const orderIds = page.map(({ orderId }) => orderId);
    const ours = new Set(
      (await readOrderMoney(database, { after: null, limit: pageRows, eventId: null, orderIds })).map(
        (one) => one.orderId,
      ),
    );
    yield page.filter(({ orderId }) => !ours.has(orderId)).map((one) => ({ money: null, tickets: one }));
    after = orderIds.at(-1) ?? null;
    if (page.length < pageRows) break;
  }
}

async function look(database: Queryable, { tickets, pause }: CheckMoneyOptions, pair: Pair) {
  let verdict = compareMoney(pair.money, pair.tickets);
  const orderId = pair.money?.orderId ?? pair.tickets?.orderId;
  if (orderId === undefined || pause === undefined) return verdict;
  for (let looks = 1; typeof verdict === 'object' && looks < looksMax; looks++) {
    await pause();
    const [money = null] = await readOrderMoney(database, {
      after: null,
      limit: 1,
      eventId: null,
      orderIds: [orderId],
    });
    const [sold = null] = await tickets.of([orderId]);
    verdict = compareMoney(money, sold);
  }
  return verdict;
}
