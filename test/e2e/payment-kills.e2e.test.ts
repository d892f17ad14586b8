import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { createSandboxProvider } from '#modules/payments/index.ts';
import type { Held } from '#modules/ticketing/testing/a-hold.ts';
import type { Sale } from '#modules/ticketing/testing/a-sale.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import type { EngineName } from '#test/kit/engines/engine.ts';
import { type GatedProxy, startGatedProxy } from '#test/kit/engines/gated-proxy.ts';
import { startKafka } from '#test/kit/engines/kafka.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { eventually } from '#test/kit/faults.ts';
import { checkBooks } from '#test/kit/payments/check-books.ts';
import { aPayDesk, type PayDesk } from '#test/kit/payments/pay-desk.ts';
import { startUrrProcess, type UrrProcess } from '#test/kit/processes.ts';
import { aSignedIn } from '#test/kit/queue/show.ts';
import { createSendRaw } from '#test/kit/raw-http.ts';

/*
 * A process is killed after every step of a purchase and of a refund: three customers are stopped at the same place, one whose card
 * approves, one whose card declines, and one whose money goes back. Then another process finds what it left, and time passes.
 */

interface Point {
  readonly what: string;
  /** Where the two purchases stop. Null: they are made afterwards. Prepared statements are known by what is sent with them. */
  readonly paying: ((gate: GatedProxy) => Promise<unknown>) | null;
  /** Where the refund stops. Null: it is asked for afterwards. */
  readonly refunding: ((gate: GatedProxy) => Promise<unknown>) | null;
}

/** Only step 1 sends the key of the request, only step 4 what the card does, and only step 6 calls this. */
const intent = 'intent-of-a-purchase';
const plans = ['"callsBack"', '"declines"'];
const effect = 'ticketing.apply_payments(';

const points: Point[] = [
  {
    what: '(1) the attempt is begun, and a cancellation committed',
    paying: (gate) => gate.keepAnswersTo(intent, 2),
    refunding: (gate) => gate.keepAnswersTo('ticketing.cancel('),
  },
  {
    what: '(2) the seats are pinned, and a cancellation told but not heard',
    paying: (gate) => gate.keepAnswersTo('ticketing.pin(', 2),
    refunding: (gate) => gate.keepBack('payments.request_refund('),
  },
  {
    what: '(3) the attempt is CAPTURING, and a refund requested but not recorded as heard',
    paying: (gate) => gate.keepAnswersTo('"checkInMs":60000', 2),
    refunding: (gate) => gate.keepAnswersTo('payments.request_refund('),
  },
  {
    what: '(3) and the provider is about to be called, for a capture and for a refund',
    paying: (gate) => Promise.all(plans.map((plan) => gate.keepBack(plan))),
    refunding: (gate) => gate.keepBack('payments.sandbox_refund('),
  },
  {
    what: '(4) the provider has taken or given the money, and its answer is lost',
    paying: (gate) => Promise.all(plans.map((plan) => gate.keepAnswersTo(plan))),
    refunding: (gate) => gate.keepAnswersTo('payments.sandbox_refund('),
  },
  {
    what: '(5) the outcome is committed, and that of the refund',
    paying: (gate) => Promise.all([gate.keepAnswersTo('"capturedKrw"'), gate.keepAnswersTo('"declineCode"')]),
    refunding: (gate) => gate.keepAnswersTo('payments.finish_refund('),
  },
  {
    what: '(5) and ticketing is about to hear of it',
    paying: (gate) => Promise.all([gate.keepBack(effect), gate.keepBack('ticketing.unpin(')]),
    refunding: null,
  },
  {
    what: '(6) the tickets are issued, and nobody knows',
    paying: (gate) => Promise.all([gate.keepAnswersTo(effect), gate.keepAnswersTo('ticketing.unpin(')]),
    refunding: null,
  },
  {
    what: '(6) and payments is about to hear of them',
    paying: (gate) => Promise.all([gate.keepBack('is_settled = true'), gate.keepAnswersTo('"declineCode"')]),
    refunding: null,
  },
  {
    what: 'the refund is done, and ticketing is about to hear of it',
    paying: null,
    refunding: (gate) => gate.keepBack(effect),
  },
  {
    what: 'ticketing has heard of the refund, and nobody knows',
    paying: null,
    refunding: (gate) => gate.keepAnswersTo(effect),
  },
];

interface Customer {
  readonly held: Held;
  readonly orderId: string;
  post(path: string, body?: object): Promise<{ status: number; body: unknown }>;
  confirm(): Promise<{ status: number; body: unknown }>;
}

const withinMs = 120_000;

function describeKills(name: string, needed: readonly EngineName[], bus: () => Promise<Record<string, string>>) {
  describeWith(needed, `${name}, a process is killed when`, () => {
    let gate: GatedProxy;
    let urr: UrrProcess;
    let env: Record<string, string>;
    let databasePort: number;
    /** Beside the process: makes what a test needs, through no gate. */
    let desk: PayDesk;
    let sale: Sale;
    let seats = 0;

    beforeAll(async () => {
      const { url } = await aDatabase();
      const through = new URL(url);
      databasePort = Number(through.port);
      gate = await startGatedProxy(databasePort);
      atEnd(() => gate.close());
      through.port = String(gate.port);
      // A step lasts until the process is killed: nobody gives up before.
      env = { URR_DATABASE_URL: through.href, URR_DATABASE_STATEMENT_TIMEOUT_MS: '600000', ...(await bus()) };
      desk = await aPayDesk((database) => createSandboxProvider({ database }), { url });
      sale = await desk.sale({ seats: 100 });
      urr = await startUrrProcess({ env });
    });

    async function aCustomer(behaviour: 'calls_back_twice' | 'declines'): Promise<Customer> {
      const who = aSignedIn();
      const held = await desk.hold(sale, { userId: who.userId, seatNos: [seats++], heldMs: 9 * 60_000 });
      const orderId = await desk.prepare(held);
      const paymentKey = `sandbox_${behaviour}_${randomBytes(16).toString('hex')}`;
      const key = `${intent}-${randomUUID()}`;
      async function post(path: string, body: object = {}) {
        const send = createSendRaw(urr.url, { connectionsMax: 1 });
        const answer = await send({
          ...{ method: 'POST', path, body: JSON.stringify(body) },
          headers: {
            ...{
              authorization: `Bearer ${who.accessToken}`,
              'content-type': 'application/json',
              'idempotency-key': key,
            },
          },
        });
        return { status: answer.status, body: JSON.parse(answer.text) as unknown };
      }
      const confirm = () => post('/api/payments/confirm', { paymentKey, orderId, amount: held.totalKrw });
      return { held, orderId, post, confirm };
    }

    /** What the sandbox has moved for an order. */
    async function movedFor({ orderId }: Customer): Promise<string[]> {
      const { rows } = await desk.database.query<{ kind: string }>(
        'SELECT m.kind FROM payments.sandbox_movements AS m JOIN payments.sandbox_payments AS p USING (payment_key) WHERE p.order_id = $1 ORDER BY m.id',
        [orderId],
      );
      return rows.map(({ kind }) => kind);
    }

    /** Until all is quiet; then seats and money agree. */
    const quiet = () => eventually(() => checkBooks(desk.database), { withinMs, what: 'seats and money to agree' });

    test.each(points)('$what: nothing is charged twice, and the same key tells the truth', async (point) => {
      const [approved, declined, leaving] = [
        await aCustomer('calls_back_twice'),
        await aCustomer('declines'),
        await aCustomer('calls_back_twice'),
      ];
      await desk.confirm(leaving.held, leaving.orderId, { paymentKey: `sandbox_approves_${randomUUID().slice(0, 8)}` });
      const isSold = async () => (await desk.statusOf(leaving.held))?.status === 'confirmed';
      await eventually(isSold, { withinMs, what: 'the ticket that is going to be cancelled' });

      const cancel = () => leaving.post(`/api/reservations/${leaving.held.id}/cancel`);
      const stopped = [point.paying?.(gate), point.refunding?.(gate)];
      const lost = Promise.allSettled([
        ...(point.paying === null ? [] : [approved.confirm(), declined.confirm()]),
        ...(point.refunding === null ? [] : [cancel()]),
      ]);
      await Promise.all(stopped);
      await urr.kill();
      await lost;

      // Longer than any of the times after which somebody else looks.
      await desk.later(2 * 60_000);
      gate.pointTo(databasePort);
      urr = await startUrrProcess({ env });
      const answered = async ({ confirm }: Customer) => {
        const { status, body } = await confirm();
        return (status === 200 || status === 402) && { status, body };
      };
      const [yes, no] = await Promise.all(
        [approved, declined].map((who) => eventually(() => answered(who), { withinMs, what: 'an outcome' })),
      );
      expect([yes, no]).toMatchObject([
        { status: 200, body: { payment: { status: 'captured', capturedKrw: approved.held.totalKrw } } },
        { status: 402, body: { code: 'PAYMENT_DECLINED' } },
      ]);
      await eventually(async () => (await cancel()).status < 300, { withinMs, what: 'the cancellation' });
      const isRefunded = async () => (await desk.statusOf(leaving.held))?.paymentStatus === 'refunded';
      await eventually(isRefunded, { withinMs, what: 'the refund' });
      await quiet();
      expect(await Promise.all([approved, declined, leaving].map(movedFor))).toEqual([
        ['captured'],
        [],
        ['captured', 'refunded'],
      ]);
      expect(await desk.statusOf(approved.held)).toMatchObject({ status: 'confirmed', paymentStatus: 'paid' });
      expect(await desk.ticketsOf(approved.held)).toMatchObject([{ state: 'issued' }]);
      expect(await desk.ticketsOf(declined.held)).toEqual([]);
    });
  });
}

describeKills('on the embedded bus', [], async () => ({}));

describeKills('on Kafka', ['kafka'], async () => {
  // Of its own: topics have the same names for everybody.
  const kafka = await startKafka({ dir: await aFolder('kills-kafka') });
  atEnd(() => kafka.stop());
  return { URR_KAFKA_BROKERS: kafka.brokers };
});
