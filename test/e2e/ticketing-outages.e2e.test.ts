import { beforeAll, describe, expect, test } from 'vitest';
import { reservationEvents, reservationHolds } from '#modules/ticketing/contract.ts';
import { defineConsumer } from '#platform/bus/port.ts';
import { startTestApp, type TestApp } from '#test/kit/app.ts';
import type { Engine } from '#test/kit/engines/engine.ts';
import { type KafkaEngine, startKafka } from '#test/kit/engines/kafka.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { type PostgresEngine, startPostgres } from '#test/kit/engines/postgres.ts';
import { ask, type RedisEngine, startRedis } from '#test/kit/engines/redis.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { eventually, whilePaused, whileStopped } from '#test/kit/faults.ts';
import { startUrrProcess } from '#test/kit/processes.ts';
import { aShowOnSale } from '#test/kit/queue/show.ts';
import { checkLedger } from '#test/kit/ticketing/check-ledger.ts';
import { createTicketCounter, type TicketCounter } from '#test/kit/ticketing/counter.ts';
import { expectCountersToMatch, hasSeats } from '#test/kit/ticketing/counts.ts';
import { type Customers, type Sale, startCustomers } from '#test/kit/ticketing/customers.ts';
import { insist } from '#test/kit/ticketing/insist.ts';
import { seatIdsOf } from '#test/kit/ticketing/seat-ids.ts';

/** Engines of this file's own: they are stopped, killed, paused and emptied while people buy. */
let postgres: PostgresEngine;
let redis: RedisEngine;
let kafka: KafkaEngine;
let app: TestApp;
let env: Record<string, string>;

/** More than are sold while the slowest engine is away. */
const layout = { sections: 10, rows: 40, seats: 50 };
const seatIds = seatIdsOf(layout);
const replaysMax = 20;

async function startAll(): Promise<() => Promise<void>> {
  [postgres, redis, kafka] = await Promise.all([
    aFolder('postgres').then((dir) => startPostgres({ dir })),
    aFolder('redis').then((dir) => startRedis({ dir })),
    aFolder('kafka').then((dir) => startKafka({ dir })),
  ]);
  env = {
    URR_DATABASE_URL: postgres.url,
    URR_REDIS_URL: redis.url,
    URR_KAFKA_BROKERS: kafka.brokers,
    URR_RATE_POLL_PER_MINUTE: '1000000',
    URR_RATE_RESERVE_PER_MINUTE: '1000000',
    URR_RATE_CONFIRM_PER_MINUTE: '1000000',
  };
  app = await startTestApp({ env });
  await database().query(
    'CREATE TABLE told (id bigserial PRIMARY KEY, reservation_id uuid NOT NULL, type text NOT NULL)',
  );
  for (const consumer of listeners()) await app.urr.engines.bus?.consume(consumer);
  return async () => {
    await app.stop();
    await Promise.all([postgres.stop(), redis.stop(), kafka.stop()]);
  };
}

/** Writes down what others are told, in the order in which they hear it. */
function listeners() {
  const rest = { mode: 'single', commit: 'manual', retry: { times: 3, backoffMs: 20 }, deadLetter: null } as const;
  const note = 'INSERT INTO told (reservation_id, type) SELECT unnest($1::uuid[]), $2';
  return [
    defineConsumer({
      declaration: { topic: reservationHolds, group: 'outage-holds', ...rest },
      async handle(events, { tx }) {
        for (const { type, data } of events)
          await tx.query(note, [data.reservations.map(({ reservationId }) => reservationId), type]);
      },
    }),
    defineConsumer({
      declaration: { topic: reservationEvents, group: 'outage-events', ...rest },
      async handle(events, { tx }) {
        for (const { type, data } of events) await tx.query(note, [[data.reservationId], type]);
      },
    }),
  ];
}

function database() {
  const { database } = app.urr.engines;
  if (database === null) throw new Error('the database is not open');
  return database;
}

interface Rush {
  readonly eventId: string;
  readonly counter: TicketCounter;
  readonly customers: Customers;
}

/** A show with people at its counter. */
async function aRush(pick = () => app.url): Promise<Rush> {
  const prices = ['VIP', 'R'].map((grade) => ({ grade, priceKrw: 0 }));
  const eventId = await eventually(() => aShowOnSale(app.url, { prices }, layout), {
    withinMs: 60_000,
    what: 'a show',
  });
  await eventually(() => hasSeats(database(), eventId), { withinMs: 60_000, what: 'the seats to be built' });
  const counter = createTicketCounter(eventId, pick);
  const customers = startCustomers({ eventId, counter, seatIds });
  await more(customers, 10);
  return { eventId, counter, customers };
}

async function more({ sales, unclear }: Customers, count: number): Promise<void> {
  const before = sales.length;
  await eventually(() => sales.length >= before + count || unclear.length > 0, {
    withinMs: 90_000,
    what: 'people to go on buying',
  });
  expect(unclear).toEqual([]);
}

/** Stops the customers and compares what they were told with what is there. */
async function expectTheTruth({ eventId, counter, customers }: Rush): Promise<void> {
  await customers.stop();
  const { sales, unclear } = customers;
  expect(unclear).toEqual([]);
  const { rows } = await database().query<{ id: string; status: string }>(
    'SELECT id, status FROM ticketing.reservations WHERE event_id = $1',
    [eventId],
  );
  expect(new Map(rows.map(({ id, status }) => [id, status]))).toEqual(
    new Map(sales.map(({ reservationId, status }) => [reservationId, status])),
  );
  for (const { who, seatIds: seats, key, reservationId, status } of sales.slice(-replaysMax)) {
    const again = await insist(() => counter.reserve(who, seats, key));
    expect([again.status, again.isReplay]).toEqual([201, true]);
    expect(again.body).toMatchObject({ id: reservationId, status });
  }
  await expectCountersToMatch(database(), eventId);
  await checkLedger(database());
}

/** Every reservation once, and each of its changes in their order. */
async function expectToldInOrder(sales: readonly Sale[]): Promise<void> {
  const expected = new Map(sales.map(({ reservationId, status }) => [reservationId, changesOf(status)]));
  const told = async () => {
    const { rows } = await database().query<{ id: string; created: number; types: string[] }>(
      `SELECT reservation_id AS id, count(*) FILTER (WHERE type = 'RESERVATIONS_CREATED')::integer AS created,
              coalesce(array_agg(type ORDER BY id) FILTER (WHERE type <> 'RESERVATIONS_CREATED'), '{}') AS types
         FROM told WHERE reservation_id = ANY($1) GROUP BY reservation_id`,
      [[...expected.keys()]],
    );
    return rows;
  };
  const isAll = (rows: Awaited<ReturnType<typeof told>>) =>
    rows.length === expected.size &&
    rows.every(({ id, created, types }) => created > 0 && types.length >= (expected.get(id)?.length ?? 0));
  const rows = await eventually(
    async () => {
      const heard = await told();
      return isAll(heard) && heard;
    },
    { withinMs: 90_000, what: 'every event to arrive' },
  );
  expect(rows.filter(({ created }) => created !== 1)).toEqual([]);
  expect(new Map(rows.map(({ id, types }) => [id, types]))).toEqual(expected);
}

function changesOf(status: string): string[] {
  if (status === 'pending') return [];
  return status === 'confirmed' ? ['RESERVATION_CONFIRMED'] : ['RESERVATION_CONFIRMED', 'RESERVATION_CANCELLED'];
}

async function whileKilled(engine: Engine, work: () => Promise<void>): Promise<void> {
  await engine.kill();
  try {
    await work();
  } finally {
    await engine.restart();
  }
}

const isReady = () =>
  eventually(async () => (await fetch(`${app.url}/ready`)).ok, { withinMs: 60_000, what: 'urr to be whole again' });

describeWith(['redis', 'kafka'], 'something goes away while people buy', () => {
  beforeAll(startAll);

  describe.each([
    { what: 'stopped', during: whileStopped },
    { what: 'killed', during: whileKilled },
    { what: 'hanging', during: whilePaused },
    {
      what: 'emptied twice',
      async during(_: Engine, work: () => Promise<void>) {
        await ask(redis.port, 'FLUSHALL');
        await work();
        await ask(redis.port, 'FLUSHALL');
      },
    },
  ])('Redis $what', ({ during }) => {
    test('nobody at the counter notices', async () => {
      const rush = await aRush();
      await during(redis, () => more(rush.customers, 30));
      await more(rush.customers, 10);
      await isReady();
      await expectTheTruth(rush);
      expect(rush.customers.faults).toEqual([]);
      expect(rush.customers.broken()).toBe(0);
    });
  });

  test.each([
    { what: 'stopped', during: whileStopped },
    { what: 'killed', during: whileKilled },
  ])(
    'PostgreSQL $what: 503 with Retry-After, then on, nothing half-done, and the key tells the truth',
    async ({ during }) => {
      const rush = await aRush();
      await during(postgres, async () => {
        await eventually(() => (rush.customers.statuses.get(503) ?? 0) >= 10, {
          withinMs: 60_000,
          what: 'a clear 503',
        });
      });
      await more(rush.customers, 30);
      await isReady();
      await expectTheTruth(rush);
      await expectToldInOrder(rush.customers.sales);
      expect(rush.customers.broken()).toBe(0);
    },
  );

  test.each([
    { what: 'stopped', during: whileStopped },
    { what: 'killed', during: whileKilled },
  ])('Kafka $what: people go on buying, and its events arrive later, once and in order', async ({ during }) => {
    const rush = await aRush();
    await during(kafka, () => more(rush.customers, 60));
    await isReady();
    await more(rush.customers, 10);
    await expectTheTruth(rush);
    await expectToldInOrder(rush.customers.sales);
    expect(rush.customers.faults).toEqual([]);
  });

  test('a process killed with holds in flight: the key tells the truth', async () => {
    const first = await startUrrProcess({ env });
    let { url } = first;
    const rush = await aRush(() => url);
    // Calls are under way at every moment; three times, since each kill meets other steps.
    let living = first;
    for (let kill = 0; kill < 3; kill++) {
      const before = rush.customers.broken();
      await living.kill();
      await eventually(() => rush.customers.broken() > before, { withinMs: 60_000, what: 'a call to be lost' });
      living = await startUrrProcess({ env });
      url = living.url;
      await more(rush.customers, 20);
    }
    await expectTheTruth(rush);
    await expectToldInOrder(rush.customers.sales);
    await living.stop();
  });
});
