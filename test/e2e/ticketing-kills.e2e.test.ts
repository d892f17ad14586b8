import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Reservation } from '#modules/ticketing/schemas.ts';
import type { Database } from '#platform/postgres/database.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { type GatedProxy, startGatedProxy } from '#test/kit/engines/gated-proxy.ts';
import { eventually } from '#test/kit/faults.ts';
import { startUrrProcess, type UrrProcess } from '#test/kit/processes.ts';
import { aShowOnSale } from '#test/kit/queue/show.ts';
import { checkLedger } from '#test/kit/ticketing/check-ledger.ts';
import { type Answer, createTicketCounter } from '#test/kit/ticketing/counter.ts';
import { expectCountersToMatch, hasSeats } from '#test/kit/ticketing/counts.ts';
import { aShopper } from '#test/kit/ticketing/entry.ts';
import { insist } from '#test/kit/ticketing/insist.ts';
import { anAttempt, pin } from '#test/kit/ticketing/payment-desk.ts';
import { seatIdsOf } from '#test/kit/ticketing/seat-ids.ts';

const layout = { sections: 1, rows: 4, seats: 10 };
const seatIds = seatIdsOf(layout);
const hangMs = 600_000;
/** Anyone who writes into the ledger waits for it, before the transaction ends. */
const turnstile = 4_711;

/** Between the process and its database, and between the client and the process. */
let databaseGate: GatedProxy;
let clientGate: GatedProxy;
let database: Database;
let urr: UrrProcess;
let databasePort: number;
let env: Record<string, string>;
let eventId: string;
let shows = 0;

async function startAll(): Promise<void> {
  const { url } = await aDatabase();
  database = createDatabase({ url, poolMax: 4, statementTimeoutMs: hangMs, idleInTransactionMs: hangMs });
  atEnd(() => database.close());
  const through = new URL(url);
  databasePort = Number(through.port);
  databaseGate = await startGatedProxy(databasePort);
  atEnd(() => databaseGate.close());
  through.port = String(databaseGate.port);
  // A step lasts until the test goes on: nobody gives up before.
  env = { URR_DATABASE_URL: through.href, URR_DATABASE_STATEMENT_TIMEOUT_MS: String(hangMs) };
  urr = await startUrrProcess({ env });
  clientGate = await startGatedProxy(portOf(urr));
  atEnd(() => clientGate.close());
  for (const statement of [
    "ALTER FUNCTION ticketing.hold_batch SET lock_timeout = '0'",
    "ALTER FUNCTION ticketing.hold_batch_of_one SET lock_timeout = '0'",
    `CREATE FUNCTION wait_at_turnstile() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN PERFORM pg_advisory_xact_lock_shared(${turnstile}); RETURN NULL; END $$`,
    'CREATE TRIGGER turnstile AFTER INSERT ON ticketing.ledger FOR EACH STATEMENT EXECUTE FUNCTION wait_at_turnstile()',
  ])
    await database.query(statement);
  const prices = [{ grade: 'VIP', priceKrw: 50_000 }];
  eventId = await aShowOnSale(urr.url, { prices }, layout);
  await eventually(() => hasSeats(database, eventId), { withinMs: 60_000, what: 'the seats to be built' });
}

const portOf = ({ url }: UrrProcess) => Number(new URL(url).port);

/** Somebody who reserves a seat, and somebody whose reservation is pinned for a payment, both known by what they send. */
async function twoCalls() {
  const [seatId = '', pinnedSeatId = ''] = seatIds.slice(2 * shows++);
  const counter = createTicketCounter(eventId, () => `http://127.0.0.1:${clientGate.port}`);
  const [buyer, payer, key] = [aShopper(eventId), aShopper(eventId), randomUUID()];
  const held = await counter.reserve(payer, [pinnedSeatId], randomUUID());
  expect(held.status).toBe(201);
  const attempt = anAttempt(held.body, payer.userId);
  const { rows } = await database.query<{ seatNo: number }>(
    'SELECT seat_no AS "seatNo" FROM ticketing.seats WHERE event_id = $1 AND reservation_id = $2',
    [eventId, held.body.id],
  );
  const seatNo = rows[0]?.seatNo ?? 0;
  return {
    markers: [key, attempt.attemptId],
    /** The other one is beside it. */
    seatNos: [seatNo, seatNo - 1],
    reserve: () => counter.reserve(buyer, [seatId], key),
    pin: () => pin(`http://127.0.0.1:${clientGate.port}`, attempt),
    /** What the database has of both. */
    async written() {
      const { rows: found } = await database.query<{ id: string; userId: string; status: string; pins: number }>(
        `SELECT id, user_id AS "userId", status,
                (SELECT count(*)::integer FROM ticketing.ledger WHERE reservation_id = r.id AND act = 'pinned') AS pins
           FROM ticketing.reservations r WHERE event_id = $1 AND user_id = ANY ($2)`,
        [eventId, [buyer.userId, payer.userId]],
      );
      const [pinned] = found.filter(({ userId }) => userId === payer.userId);
      return { reservations: found.filter(({ userId }) => userId === buyer.userId), pins: pinned?.pins, pinned };
    },
  };
}
type Calls = Awaited<ReturnType<typeof twoCalls>>;

/** Has these rows or this lock until it is released. */
async function whileHeld(statement: string, values: unknown[]): Promise<() => Promise<void>> {
  const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const ended = database.transaction(async (tx) => {
    await tx.query(statement, values);
    held.resolve();
    await released.promise;
  });
  await Promise.race([held.promise, ended]);
  return async () => {
    released.resolve();
    await ended;
  };
}

/** How many of the two kinds of statements are under way, those of dead processes included. */
async function kindsUnderWay({ waiting }: { waiting: boolean }): Promise<number | undefined> {
  const { rows } = await database.query<{ kinds: number }>(
    `SELECT count(DISTINCT query LIKE '%ticketing.pin(%')::integer AS kinds FROM pg_stat_activity
      WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()
        AND (query LIKE '%ticketing.hold_batch%' OR query LIKE '%ticketing.pin(%')
        AND (NOT $1 OR wait_event_type = 'Lock')`,
    [waiting],
  );
  return rows[0]?.kinds;
}

const bothWait = () =>
  eventually(async () => (await kindsUnderWay({ waiting: true })) === 2, { withinMs: 120_000, what: 'both to wait' });

interface Step {
  readonly what: string;
  /** Sets up the place at which both calls will stop. */
  stop(calls: Calls): Promise<{ reached(): Promise<unknown>; release?(): Promise<void> }>;
  /** What is known when the process is dead. Null: it may still be decided. */
  readonly isWritten: boolean | null;
}

const steps: Step[] = [
  {
    what: 'before the database is asked',
    async stop({ markers }) {
      const kept = Promise.all(markers.map((marker) => databaseGate.keepBack(marker)));
      return { reached: () => kept };
    },
    isWritten: false,
  },
  {
    what: 'while the database waits for the seat',
    async stop({ seatNos }) {
      const rows = 'SELECT FROM ticketing.seats WHERE event_id = $1 AND seat_no = ANY ($2) FOR UPDATE';
      return { reached: bothWait, release: await whileHeld(rows, [eventId, seatNos]) };
    },
    isWritten: null,
  },
  {
    what: 'when everything is written and nothing committed',
    async stop() {
      return { reached: bothWait, release: await whileHeld('SELECT pg_advisory_xact_lock($1)', [turnstile]) };
    },
    isWritten: null,
  },
  {
    what: 'when it is committed and the process has not heard of it',
    async stop({ markers }) {
      const kept = Promise.all(markers.map((marker) => databaseGate.keepAnswersTo(marker)));
      return { reached: () => kept };
    },
    isWritten: true,
  },
  {
    what: 'when the process has answered and the client has not heard of it',
    async stop({ markers }) {
      const kept = Promise.all(markers.map((marker) => clientGate.keepAnswersTo(marker)));
      return { reached: () => kept };
    },
    isWritten: true,
  },
];

describe('a process is killed while it holds a seat and pins another', () => {
  beforeAll(startAll);

  test.each(steps)('$what: nothing is half-done, and repeating tells the truth', async ({ stop, isWritten }) => {
    const calls = await twoCalls();
    const { reached, release } = await stop(calls);
    const lost = Promise.allSettled([calls.reserve(), calls.pin()]);
    await reached();
    await urr.kill();
    expect((await lost).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const before = await calls.written();
    if (isWritten !== null) expect([before.reservations.length, before.pins]).toEqual(isWritten ? [1, 1] : [0, 0]);

    databaseGate.pointTo(databasePort);
    urr = await startUrrProcess({ env });
    clientGate.pointTo(portOf(urr));
    // Sent again while the statements of the dead process are still there.
    const repeated = Promise.all([
      insist(() => calls.reserve()),
      eventually(() => calls.pin(), { withinMs: 120_000, what: 'the pin to be answered' }),
    ]);
    await release?.();
    const [answer, { verdict }]: [Answer<Reservation>, { verdict: string }] = await repeated;
    expect([answer.status, verdict]).toEqual([201, 'pinned']);
    if (isWritten !== null) expect(answer.isReplay).toBe(isWritten);
    await eventually(async () => (await kindsUnderWay({ waiting: false })) === 0, {
      withinMs: 60_000,
      what: 'the last to end',
    });
    const { reservations, pins, pinned } = await calls.written();
    expect(reservations).toMatchObject([{ id: answer.body.id, status: 'pending' }]);
    expect([pins, pinned?.status]).toEqual([1, 'paying']);
    const again = await insist(() => calls.reserve());
    expect([again.status, again.isReplay, again.body.id]).toEqual([201, true, answer.body.id]);
    await expectCountersToMatch(database, eventId);
    await checkLedger(database);
  });
});
