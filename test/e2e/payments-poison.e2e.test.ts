import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { reservationsDeclaration } from '#modules/payments/consumers/reservations.ts';
import { paymentsDeclaration } from '#modules/ticketing/consumers/payments.ts';
import { partitionOf } from '#platform/bus/partitioner.ts';
import type { ConsumerDeclaration } from '#platform/bus/port.ts';
import type { Database } from '#platform/postgres/database.ts';
import { startTestApp } from '#test/kit/app.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import type { EngineName } from '#test/kit/engines/engine.ts';
import { startKafka } from '#test/kit/engines/kafka.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { eventually } from '#test/kit/faults.ts';
import { createTestTime, type TestTime } from '#test/kit/payments/chaos/clock.ts';
import { checkBooks } from '#test/kit/payments/check-books.ts';
import { type BoughtTickets, createTicketBuyer, type TicketBuyer } from '#test/kit/payments/ticket-buyer.ts';
import { runUrr } from '#test/kit/processes.ts';
import { aShowOnSale } from '#test/kit/queue/show.ts';
import { hasSeats } from '#test/kit/ticketing/counts.ts';

const withinMs = 90_000;
const minutesLater = [1, 5, 30];
const reason = 'poison of a test';

interface Letter {
  readonly key: string;
  readonly behind: boolean;
  readonly attempts: number;
  readonly reason: string;
  readonly waits: boolean;
}

/** A case: what cannot be written, what meets it, and how it looks when all is well. */
interface Poison {
  readonly declaration: ConsumerDeclaration;
  /** Rows of this table that name the reservation or its payment cannot be written. */
  readonly table: string;
  readonly column: string;
  /** Buys, as far as a poisoned one comes. */
  begin(buyer: TicketBuyer): Promise<BoughtTickets>;
  poisonedId(bought: BoughtTickets): string;
  key(bought: BoughtTickets): string;
  /** Causes the message that fails. */
  cause(buyer: TicketBuyer, bought: BoughtTickets): Promise<void>;
  /** Causes a later one of the same key. */
  followUp(buyer: TicketBuyer, bought: BoughtTickets): Promise<void>;
  isHealed(bought: BoughtTickets, database: Database): Promise<boolean>;
}

const statusOf = async (database: Database, { reservationId }: BoughtTickets) => {
  const { rows } = await database.query<{ status: string; payment_status: string }>(
    'SELECT status, payment_status FROM ticketing.reservations WHERE id = $1',
    [reservationId],
  );
  return rows[0];
};

const confirmation: Poison = {
  declaration: paymentsDeclaration,
  ...{ table: 'ticketing.tickets', column: 'reservation_id' },
  begin: (buyer) => buyer.prepare(2),
  poisonedId: ({ reservationId }) => reservationId,
  key: ({ orderId }) => orderId,
  async cause(buyer, bought) {
    expect(await buyer.pay(bought)).toMatchObject({ status: 200, body: { payment: { status: 'captured' } } });
  },
  followUp: (buyer, bought) => buyer.giveGoodwill(bought, 1_000),
  isHealed: async (bought, database) => (await statusOf(database, bought))?.status === 'confirmed',
};

const cancellation: Poison = {
  declaration: reservationsDeclaration,
  ...{ table: 'payments.refunds', column: 'payment_id' },
  begin: (buyer) => buyer.buy(2),
  poisonedId: ({ paymentId }) => paymentId,
  key: ({ reservationId }) => reservationId,
  cause: (buyer, bought) => buyer.cancelOne(bought),
  followUp: (buyer, bought) => buyer.cancelOne(bought),
  isHealed: async (bought, database) => (await statusOf(database, bought))?.payment_status === 'refunded',
};

function describePoison(name: string, needed: readonly EngineName[], engines: () => Promise<Record<string, string>>) {
  describeWith(needed, name, () => {
    let env: Record<string, string>;
    let database: Database;
    let buyer: TicketBuyer;
    let time: TestTime;

    beforeAll(async () => {
      env = { URR_DATABASE_URL: (await aDatabase()).url, ...(await engines()) };
      const app = await startTestApp({ env });
      if (app.urr.engines.database === null) throw new Error('the database is not open');
      database = app.urr.engines.database;
      time = createTestTime(database);
      const eventId = await aShowOnSale(app.url, {}, { sections: 2, rows: 10, seats: 20 });
      await eventually(() => hasSeats(database, eventId), { withinMs, what: 'the seats to be built' });
      buyer = createTicketBuyer({ eventId, url: app.url });
    });

    const letters = async ({ declaration: { group } }: Poison) => {
      const { rows } = await database.query<Letter>(
        `SELECT key, behind, attempts, reason, due_at IS NULL AS waits FROM urr.bus_letters WHERE consumer_group = $1 ORDER BY id`,
        [group],
      );
      return rows;
    };
    const until = (what: string, attempt: () => Promise<boolean>) => eventually(attempt, { withinMs, what });

    test.each([
      { what: 'a payment that ticketing cannot book', poison: confirmation },
      { what: 'a cancellation that payments cannot follow', poison: cancellation },
    ])(
      '$what is a letter; its key waits, its partition goes on; it is tried again, and replayed',
      async ({ poison }) => {
        const { declaration } = poison;
        const bought = await poison.begin(buyer);
        await refuseRows(database, poison, poison.poisonedId(bought));
        await poison.cause(buyer, bought);
        await until('a letter', async () => (await letters(poison)).length === 1);
        const [letter] = await letters(poison);
        expect(letter).toMatchObject({ key: poison.key(bought), behind: false, waits: false });
        expect(letter?.reason).toContain(reason);
        // Once with its batch or by itself, and as often again as is declared.
        expect(letter?.attempts).toBeGreaterThanOrEqual(1 + declaration.retry.times);
        await until('its copy in the dead-letter topic', async () => {
          const copies = 'SELECT FROM urr.outbox WHERE topic = $1 AND key = $2 AND published_at IS NOT NULL';
          return (await database.query(copies, [declaration.deadLetter, poison.key(bought)])).rowCount === 1;
        });

        await poison.followUp(buyer, bought);
        await until('the next of its key to wait behind it', async () => {
          const [, behind] = await letters(poison);
          return behind?.behind === true && behind.key === poison.key(bought);
        });
        const other = await anotherOf(poison, partitionOf(poison.key(bought), declaration.topic.partitions));
        await poison.cause(buyer, other);
        await poison.followUp(buyer, other);
        await until('its partition to go on', () => poison.isHealed(other, database));

        for (const minutes of minutesLater) {
          const before = (await letters(poison))[0]?.attempts ?? 0;
          await time.putForward(minutes * 60_000 + 1_000);
          await until(`a try after ${minutes} min`, async () => ((await letters(poison))[0]?.attempts ?? 0) > before);
        }
        expect((await letters(poison))[0]).toMatchObject({ behind: false, waits: true });
        expect(await poison.isHealed(bought, database)).toBe(false);

        await database.query(`DROP TRIGGER poison ON ${poison.table}`);
        const replay = await runUrr(['bus', 'replay', '--dead-letter', declaration.deadLetter ?? ''], env);
        expect(replay).toMatchObject({ code: 0 });
        await until('all of it to be well', () => poison.isHealed(bought, database));
        await until('no letter to be left', async () => (await letters(poison)).length === 0);
        await until('the books to agree', async () => (await checkBooks(database)).contradiction === null);
      },
    );

    /** One whose key is in this partition, as far as the poisoned one came. */
    async function anotherOf(poison: Poison, partition: number): Promise<BoughtTickets> {
      for (;;) {
        const bought = await poison.begin(buyer);
        if (partitionOf(poison.key(bought), poison.declaration.topic.partitions) === partition) return bought;
      }
    }
  });
}

/** As a defect of a handler would. */
async function refuseRows(database: Database, { table, column }: Poison, id: string): Promise<void> {
  await database.query(
    `CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '${reason}'; END $$`,
  );
  await database.query(
    `CREATE TRIGGER poison BEFORE INSERT ON ${table} FOR EACH ROW WHEN (NEW.${column} = '${id}') EXECUTE FUNCTION refuse()`,
  );
}

describePoison('on the embedded bus', [], async () => ({}));

describePoison('on Kafka', ['kafka'], async () => {
  const kafka = await startKafka({ dir: await aFolder(`poison-${randomUUID()}`) });
  atEnd(() => kafka.stop());
  return { URR_KAFKA_BROKERS: kafka.brokers };
});

test('consumers of money try three times, park the key, and try again after 1, 5 and 30 minutes', () => {
  for (const declaration of [paymentsDeclaration, reservationsDeclaration])
    expect(declaration).toMatchObject({
      ...{ commit: 'manual', retry: { times: 3 }, onPoison: 'park-key', retryAfterMin: minutesLater },
      deadLetter: `${declaration.group}-dead`,
    });
});
