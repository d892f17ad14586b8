import type { Queryable } from '#platform/postgres/database.ts';
import { insist } from '#test/kit/ticketing/insist.ts';
import type { Counters, Customer, Paid } from './customer.ts';

interface Outcome {
  readonly id: string;
  readonly status: string;
  readonly live: number;
  /** Face value and fees of the live tickets, and the fees of the void ones, which a buyer may have to bear. */
  readonly liveKrw: number;
  readonly voidFeesKrw: number;
  readonly capturedKrw: number;
  readonly refundedKrw: number;
}

const atOnce = 8;
const paidStatuses = ['captured', 'partially_refunded', 'refunded', 'orphaned', 'reversed'];

/** What is wrong with what customers have: each has a ticket or the money back, and what they were told last. */
export async function wronged(database: Queryable, customers: readonly Customer[]): Promise<string[]> {
  const outcomes = await outcomesOf(database);
  return customers.flatMap(({ held, paid, hasTurnedBack, plan }) => {
    if (held === null) return [];
    const outcome = outcomes.get(held.id);
    if (outcome === undefined) return [`purchase ${plan.number} was told of ${held.id}, which is not there`];
    const say = (what: string) => `purchase ${plan.number}: ${what}: ${JSON.stringify(outcome)}`;
    const { status, live, liveKrw, voidFeesKrw, capturedKrw, refundedKrw } = outcome;
    const paidKrw = capturedKrw - refundedKrw;
    const wrong: string[] = [];
    if (!['confirmed', 'partially_cancelled', 'cancelled', 'expired', 'released'].includes(status))
      wrong.push(say('is stuck'));
    if (paidKrw < liveKrw || paidKrw > liveKrw + voidFeesKrw) wrong.push(say('money and tickets differ'));
    if (status === 'confirmed' && live !== held.seatIds.length) wrong.push(say('a seat has no ticket'));
    const toldOfTickets = paid.some(({ told }) => told.status === 200 && told.body.reservation?.status === 'confirmed');
    if (toldOfTickets && !hasTurnedBack && status !== 'confirmed') wrong.push(say('was told of tickets'));
    return wrong;
  });
}

async function outcomesOf(database: Queryable): Promise<Map<string, Outcome>> {
  const { rows } = await database.query<Outcome>(
    `SELECT r.id, r.status, coalesce(t.live, 0) AS live, coalesce(t.live_krw, 0) AS "liveKrw", coalesce(t.void_fees, 0) AS "voidFeesKrw",
       coalesce(p.captured, 0) AS "capturedKrw", coalesce(p.refunded, 0) AS "refundedKrw"
     FROM ticketing.reservations AS r
     LEFT JOIN (SELECT reservation_id, count(*) FILTER (WHERE state <> 'void')::integer AS live,
         sum(price_krw + fee_krw) FILTER (WHERE state <> 'void')::integer AS live_krw,
         sum(fee_krw) FILTER (WHERE state = 'void')::integer AS void_fees
       FROM ticketing.tickets GROUP BY reservation_id) AS t ON t.reservation_id = r.id
     LEFT JOIN (SELECT o.reference_id, sum(one.captured_krw)::integer AS captured, sum(one.refunded_krw)::integer AS refunded
       FROM payments.orders AS o JOIN payments.payments AS one USING (order_id) GROUP BY o.reference_id) AS p ON p.reference_id = r.id`,
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Every customer's last Idempotency-Keys once more: what they are answered now against what is so. */
export async function liesByKey(
  database: Queryable,
  { counter, till, unclear }: Counters,
  customers: readonly Customer[],
): Promise<string[]> {
  const lies: string[] = [];
  const rest = [...customers];
  async function askOneByOne(): Promise<void> {
    for (let customer = rest.pop(); customer !== undefined; customer = rest.pop()) await askAgain(customer);
  }

  async function askAgain({ who, held, paid, plan }: Customer): Promise<void> {
    if (held === null) return;
    const again = await insist(() => counter.reserve(who, held.seatIds, held.key), unclear);
    if (again.status !== 201 || again.body.id !== held.id) lies.push(`hold of purchase ${plan.number}: ${again.text}`);
    const last = paid.at(-1);
    if (last === undefined) return;
    const before = await paymentsOf(database, last);
    const { status, code, body, text } = await insist(() => till.pay(who, last), unclear);
    const payment = before.find(({ intent }) => intent === last.key);
    const truth = payment === undefined ? 'nothing' : payment.status;
    const isTrue =
      status === 200
        ? body.payment.status === truth && paidStatuses.includes(truth)
        : code === 'PAYMENT_DECLINED'
          ? truth === 'failed'
          : ['RESERVATION_EXPIRED', 'ORDER_CLOSED', 'ORDER_PAID', 'PAYMENT_IN_PROGRESS'].includes(code ?? '') &&
            !paidStatuses.includes(truth);
    if (!isTrue) lies.push(`the key of purchase ${plan.number}, which is ${truth}: ${status} ${text}`);
    const after = await paymentsOf(database, last);
    if (sum(after) !== sum(before)) lies.push(`asking again of purchase ${plan.number} moved money`);
  }
  await Promise.all(Array.from({ length: atOnce }, askOneByOne));
  return lies;
}

const sum = (payments: readonly { captured: number }[]) => payments.reduce((all, { captured }) => all + captured, 0);

async function paymentsOf(database: Queryable, { orderId }: Paid) {
  const { rows } = await database.query<{ intent: string | null; status: string; captured: number }>(
    'SELECT intent_key AS intent, status, captured_krw AS captured FROM payments.payments WHERE order_id = $1',
    [orderId],
  );
  return rows;
}
