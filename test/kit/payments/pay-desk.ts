import { randomUUID } from 'node:crypto';
import { createPayments, type Payments } from '#modules/payments/index.ts';
import type { PaymentProvider } from '#modules/payments/ports.ts';
import { createPaymentsConsumer } from '#modules/ticketing/consumers/payments.ts';
import { createReservations, type Reservations } from '#modules/ticketing/service/reservations.ts';
import { aHold, type Held, type HoldOptions } from '#modules/ticketing/testing/a-hold.ts';
import { aSale, type Sale, type SaleOptions } from '#modules/ticketing/testing/a-sale.ts';
import { postgresAuditLog } from '#platform/audit/postgres-audit-log.ts';
import type { Consumer } from '#platform/bus/port.ts';
import { type Clock, systemClock } from '#platform/clock.ts';
import { createIds } from '#platform/ids.ts';
import type { Database } from '#platform/postgres/database.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { systemRandom } from '#platform/random.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { createMetrics } from '#platform/telemetry/metrics.ts';
import { atEnd } from '../at-end.ts';
import { aDatabase } from '../engines/database.ts';

interface Message {
  readonly topic: string;
  readonly envelope: { readonly id: string; readonly type: string; readonly data: never };
}

/** Payments and ticketing on one database, with a bus that delivers when, how often and in which order the test wants. */
export interface PayDesk {
  readonly database: Database;
  readonly payments: Payments;
  readonly reservations: Reservations;
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
  /** Delivers what was told, in order, until nothing is left; both modules answer each other. */
  deliver(): Promise<void>;
  /** All messages that were ever told, for those who want to deliver them again. */
  messages(): Promise<Message[]>;
  /** Has the effect of one message in the module that consumes it. */
  hear(message: Message): Promise<void>;
  /** One run of a background job by its name. */
  run(job: string): Promise<void>;
}

export interface Answered {
  readonly status: number;
  readonly code: string | null;
  // The test knows what it has asked for.
  // biome-ignore lint/suspicious/noExplicitAny: read by tests only
  readonly body: any;
}

export async function aPayDesk(
  provider: PaymentProvider | ((database: Database) => PaymentProvider),
  { clock = systemClock, answerWithinMs = 20_000 }: { clock?: Clock; answerWithinMs?: number } = {},
): Promise<PayDesk> {
  const { url } = await aDatabase();
  const database = createDatabase({ url, poolMax: 16, connectTimeoutMs: 60_000, statementTimeoutMs: 60_000 });
  atEnd(() => database.close());
  const ids = createIds({ clock, random: systemRandom });
  const logger = silentLogger;
  const metrics = createMetrics();
  const aftermath = { follow: () => {} };
  const reservations = createReservations({ database, ids, random: systemRandom, aftermath });
  const payments = createPayments({
    ...{ database, clock, ids, random: systemRandom, logger, metrics, audit: postgresAuditLog },
    bus: { wakeRelays: () => {} },
    ticketing: reservations.internal,
    providers: [typeof provider === 'function' ? provider(database) : provider],
    sandbox: null,
    config: { answerWithinMs, ticketsWithinMs: 0, depositMs: 30 * 60_000, refundsPerSecond: 1_000 },
  });
  atEnd(async () => payments.stop?.());
  const ticketingHears = createPaymentsConsumer({ database, random: systemRandom, logger, metrics, aftermath });
  const [paymentsHears] = payments.consumers as [Consumer];
  let delivered = 0;

  const handler = (name: 'preparePayment' | 'confirmPayment') => payments.handlers[name];
  async function answered(call: Promise<unknown>, status: () => number): Promise<Answered> {
    try {
      return { status: status(), code: null, body: await call };
    } catch (error) {
      const { code, definition } = error as { code?: string; definition?: { status: number } };
      if (definition === undefined) throw error;
      return { status: definition.status, code: code ?? null, body: null };
    }
  }

  const desk: PayDesk = {
    database,
    payments,
    reservations,
    sale: (options) => aSale(database, options),
    hold: (sale, options) => aHold(database, sale, options),

    async prepare(held, method = 'card') {
      const refundAccount = { bank: '우르르은행', number: '110-22', holder: '김우르' };
      const body = {
        ...{ paymentType: 'reservation', referenceId: held.id, method },
        ...(method === 'virtual_account' && { refundAccount }),
      };
      const order = (await handler('preparePayment')?.(
        { user: { userId: held.userId }, body } as never,
        {} as never,
      )) as unknown as { orderId: string };
      return order.orderId;
    },

    async confirm(held, orderId, { paymentKey = `key-${randomUUID()}`, amount = held.totalKrw, key } = {}) {
      let status = 200;
      const reply = {
        status(code: number) {
          status = code;
          return reply;
        },
        header: () => reply,
      };
      const request = {
        user: { userId: held.userId },
        body: { paymentKey, orderId, amount },
        headers: key === undefined ? {} : { 'idempotency-key': key },
      };
      const answer = await answered(
        Promise.resolve(handler('confirmPayment')?.(request as never, reply as never)),
        () => status,
      );
      return answer.code === null ? { ...answer, status } : answer;
    },

    async messages() {
      const { rows } = await database.query<Message & { id: number }>(
        'SELECT id, topic, envelope FROM urr.outbox ORDER BY id',
      );
      return rows;
    },

    async hear({ topic, envelope }) {
      const consumer =
        topic === 'payment-events' ? ticketingHears : topic === 'reservation-events' ? paymentsHears : null;
      if (consumer === null) return;
      const { signal } = new AbortController();
      await database.transaction((tx) =>
        consumer.handle([envelope as never], { tx, partition: 0, attempt: 1, signal }),
      );
    },

    async deliver() {
      for (;;) {
        const fresh = (await desk.messages()).slice(delivered);
        if (fresh.length === 0) return;
        for (const message of fresh) {
          await desk.hear(message);
          delivered += 1;
        }
      }
    },

    async run(name) {
      const job = payments.jobs.find((one) => one.name === name);
      if (job === undefined) throw new Error(`there is no job ${name}`);
      await job.run(new AbortController().signal);
    },
  };
  return desk;
}
