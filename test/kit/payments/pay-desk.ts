import { randomUUID } from 'node:crypto';
import type { paymentRoutes } from '#modules/payments/contract.ts';
import { createPayments, type MoneyReport, type Payments } from '#modules/payments/index.ts';
import type { PaymentProvider } from '#modules/payments/ports.ts';
import { createPaymentsConsumer } from '#modules/ticketing/consumers/payments.ts';
import { createReservations, type Reservations } from '#modules/ticketing/service/reservations.ts';
import { aHold, type Held, type HoldOptions } from '#modules/ticketing/testing/a-hold.ts';
import { aSale, type Sale, type SaleOptions } from '#modules/ticketing/testing/a-sale.ts';
import { postgresAuditLog } from '#platform/audit/postgres-audit-log.ts';
import { type Clock, systemClock } from '#platform/clock.ts';
import { createIds } from '#platform/ids.ts';
import type { Database } from '#platform/postgres/database.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { systemRandom } from '#platform/random.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { createMetrics } from '#platform/telemetry/metrics.ts';
import { atEnd } from '../at-end.ts';
import { putDatabaseClockForward } from '../database-clock.ts';
import { aDatabase } from '../engines/database.ts';
import { byBus, byHand, type Carrier, type CarrierKind, type Message, messagesOf } from './carriers.ts';
import { checkBooks } from './check-books.ts';

/** Payments and ticketing on one database, with a bus that delivers when, how often and in which order the test wants, or a real one. */
export interface PayDesk extends Omit<Carrier, 'bus'> {
  readonly database: Database;
  readonly payments: Payments;
  readonly reservations: Reservations;
  readonly bus: Carrier['bus'];
  sale(options?: SaleOptions): Promise<Sale>;
  hold(sale: Sale, options?: HoldOptions): Promise<Held>;
  /** What the page does: prepares an order. */
  prepare(held: Held, method?: 'card' | 'virtual_account'): Promise<string>;
  /** What the page does: confirms with a key of its own. Answers the status and the body, or the fault's code. */
  confirm(
    held: Held,
    orderId: string,
    more?: { paymentKey?: string; amount?: number; key?: string },
  ): Promise<Answered>;
  /** Any other route of payments, as somebody with this role. */
  call(name: keyof typeof paymentRoutes, request: Call): Promise<Answered>;
  /** Holds, prepares and pays; the tickets are there. */
  buy(sale: Sale, options: HoldOptions & { method?: 'card' }): Promise<Bought>;
  cancel(held: Held, ticketIds?: readonly string[] | null): ReturnType<Reservations['cancel']>;
  /** The reservation, as payments sees it. */
  statusOf(held: Held): Promise<Awaited<ReturnType<Reservations['internal']['reservationState']>>['reservation']>;
  ticketsOf(held: Held): Promise<{ id: string; state: string }[]>;
  /** The provider calls its webhook about a payment, and it is followed up. */
  hint(body: { paymentKey?: string; orderId?: string }): Promise<void>;
  /** All messages that were ever told, for those who want to deliver them again. */
  messages(): Promise<Message[]>;
  /** One run of a background job by its name. */
  run(job: string): Promise<void>;
  /** Lets time pass, by the database's clock. It never goes back. */
  later(ms: number): Promise<void>;
  /** What waits for a person. */
  manual(): Promise<{ id: string; kind: string; amountKrw: number | null }[]>;
  /** Delivers everything, sends every refund, and then seats and money must agree. */
  settle(): Promise<MoneyReport>;
}

export interface Call {
  readonly userId?: string;
  readonly role?: string;
  readonly body?: object;
  readonly params?: object;
  readonly query?: object;
  readonly key?: string;
}

export interface Bought {
  readonly held: Held;
  readonly orderId: string;
  readonly paymentKey: string;
}

export interface Answered {
  readonly status: number;
  readonly code: string | null;
  // The test knows what it has asked for.
  // biome-ignore lint/suspicious/noExplicitAny: read by tests only
  readonly body: any;
}

export interface PayDeskOptions {
  readonly clock?: Clock;
  readonly answerWithinMs?: number;
  readonly refundsPerSecond?: number;
  readonly carrier?: CarrierKind;
  /** Another process on the same database. */
  readonly url?: string;
}

export async function aPayDesk(
  provider: PaymentProvider | ((database: Database) => PaymentProvider),
  options: PayDeskOptions = {},
): Promise<PayDesk> {
  const { clock = systemClock, answerWithinMs = 60_000, refundsPerSecond = 1_000, carrier: kind = 'hand' } = options;
  const { url = (await aDatabase()).url } = options;
  const database = createDatabase({ url, poolMax: 16, connectTimeoutMs: 60_000, statementTimeoutMs: 60_000 });
  atEnd(() => database.close());
  const paidThrough = typeof provider === 'function' ? provider(database) : provider;
  const ids = createIds({ clock, random: systemRandom });
  const logger = silentLogger;
  const metrics = createMetrics();
  const aftermath = { follow: () => {} };
  const reservations = createReservations({ database, ids, random: systemRandom, aftermath });
  const payments = createPayments({
    ...{ database, clock, ids, random: systemRandom, logger, metrics, audit: postgresAuditLog },
    bus: { wakeRelays: () => carrier?.bus?.wakeRelays() },
    ticketing: reservations.internal,
    providers: [paidThrough],
    sandbox: null,
    config: { answerWithinMs, ticketsWithinMs: 0, depositMs: 30 * 60_000, refundsPerSecond },
  });
  atEnd(async () => payments.stop?.());
  const ticketingHears = createPaymentsConsumer({ database, random: systemRandom, logger, metrics, aftermath });
  const consumers = [ticketingHears, ...payments.consumers];
  const deps = { database, clock, ids, consumers };
  let carrier: Carrier | null = null;
  carrier = kind === 'hand' ? byHand(deps) : await byBus(kind, deps);
  let passedMs = 0;

  async function call(name: keyof typeof paymentRoutes, { userId, role = 'buyer', key, ...request }: Call) {
    let status = 200;
    const reply = {
      status(code: number) {
        status = code;
        return reply;
      },
      header: () => reply,
    };
    const headers = key === undefined ? {} : { 'idempotency-key': key };
    const asked = { ...request, id: randomUUID(), user: { userId, role }, headers };
    try {
      const body = await payments.handlers[name]?.(asked as never, reply as never);
      return { status, code: null, body };
    } catch (error) {
      const { code, definition } = error as { code?: string; definition?: { status: number } };
      if (definition === undefined) throw error;
      return { status: definition.status, code: code ?? null, body: null };
    }
  }

  const desk: PayDesk = {
    ...carrier,
    ...{ database, payments, reservations, call },
    sale: (options) => aSale(database, options),
    hold: (sale, options) => aHold(database, sale, options),

    async prepare(held, method = 'card') {
      const refundAccount = { bank: '신한은행', number: '110-22', holder: '김우르' };
      const body = {
        ...{ paymentType: 'reservation', referenceId: held.id, method },
        ...(method === 'virtual_account' && { refundAccount }),
      };
      const answer = await call('preparePayment', { userId: held.userId, body });
      if (answer.code !== null) throw new Error(`the order was not prepared: ${answer.code}`);
      return (answer.body as { orderId: string }).orderId;
    },

    confirm(held, orderId, { paymentKey = `key-${randomUUID()}`, amount = held.totalKrw, key } = {}) {
      const body = { paymentKey, orderId, amount };
      return call('confirmPayment', { userId: held.userId, body, ...(key !== undefined && { key }) });
    },

    async buy(sale, options) {
      const held = await desk.hold(sale, options);
      const orderId = await desk.prepare(held);
      const paymentKey = `key-${randomUUID()}`;
      const answer = await desk.confirm(held, orderId, { paymentKey });
      if (answer.status !== 200) throw new Error(`the payment was not confirmed: ${answer.status} ${answer.code}`);
      await desk.deliver();
      return { held, orderId, paymentKey };
    },

    cancel: (held, ticketIds = null) => reservations.cancel({ reservationId: held.id, userId: held.userId, ticketIds }),
    statusOf: async (held) => (await reservations.internal.reservationState({ reservationId: held.id })).reservation,
    async ticketsOf(held) {
      const { rows } = await database.query<{ id: string; state: string }>(
        'SELECT id, state FROM ticketing.tickets WHERE reservation_id = $1 ORDER BY seat_no, id',
        [held.id],
      );
      return rows;
    },

    async hint(body) {
      if (!(await payments.hear(paidThrough.name, body))) throw new Error('the webhook cannot be read');
      await desk.run('payments-hints');
    },
    messages: () => messagesOf(database),

    async run(name) {
      const job = payments.jobs.find((one) => one.name === name);
      if (job === undefined) throw new Error(`there is no job ${name}`);
      await job.run(new AbortController().signal);
    },

    async later(ms) {
      passedMs += ms;
      await putDatabaseClockForward(database, passedMs);
    },

    async manual() {
      const { rows } = await database.query<{ id: string; kind: string; amountKrw: number | null }>(
        `SELECT manual_id AS id, kind, amount_krw AS "amountKrw" FROM payments.manual WHERE resolved_at IS NULL ORDER BY opened_at`,
      );
      return rows;
    },

    async settle() {
      for (let round = 0; round < roundsMax; round++) {
        await desk.deliver();
        await desk.run('payments-refunds');
        await desk.deliver();
        const { rows } = await database.query('SELECT FROM payments.refunds WHERE next_try_at IS NOT NULL LIMIT 1');
        if (rows.length === 0) return checkBooks(database);
        await desk.later(retryMs);
      }
      throw new Error('refunds do not come to an end');
    },
  };
  return desk;
}

/** More than a refund needs that fails now and then. */
const roundsMax = 40;
/** Longer than any wait between two tries of a refund, or for one whose process was killed. */
const retryMs = 10 * 60_000;
