import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Admin, Consumer as KafkaClient, ProduceAcks, Producer } from '@platformatic/kafka';
import { Type } from 'typebox';
import { createEmbeddedBus } from '#platform/bus/embedded/embedded-bus.ts';
import { createKafkaBus } from '#platform/bus/kafka/kafka-bus.ts';
import type { BusOptions } from '#platform/bus/options.ts';
import { type BusEngine, type ConsumerDeclaration, defineConsumer, defineTopic } from '#platform/bus/port.ts';
import { systemClock } from '#platform/clock.ts';
import { createIds } from '#platform/ids.ts';
import type { Database } from '#platform/postgres/database.ts';
import { migrate, platformMigrations } from '#platform/postgres/migrate.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { systemRandom } from '#platform/random.ts';
import { startKafka } from '#test/kit/engines/kafka.ts';
import { startPostgres } from '#test/kit/engines/postgres.ts';
import type { BenchReport } from './report.ts';

const eventsPerRun = 20_000;
const singleEventsPerRun = 5_000;
const eventsPerTransaction = 10;
const writers = 8;
const targetPerSecond = 5_000;
const runTimeoutMs = 120_000;
const ids = createIds({ clock: systemClock, random: systemRandom });

/** Outbox → broker → effect, end to end in one process beside the engines, against the bare broker. */
export async function run(report: BenchReport): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), 'urr-bench-'));
  process.env.URR_TEST_SCRATCH ??= scratch;
  const engines = await startEngines(scratch);
  try {
    const kafkaBus = (options: BusOptions) =>
      createKafkaBus({ ...options, brokers: engines.brokers, clientId: 'bench', replication: 1 });
    const raw = {
      label: 'the same messages through the bare client (idempotent, acks all, batches of 500)',
      run: () => rawKafka(engines.brokers),
    };
    const through = (create: (options: BusOptions) => BusEngine, mode: ConsumerDeclaration['mode']) => () =>
      throughBus({
        database: engines.database,
        create,
        mode,
        count: mode === 'single' ? singleEventsPerRun : eventsPerRun,
      });
    const effects = { name: 'outbox → Kafka → effect', unit: 'events', pairs: 3 };
    await report.compare({
      ...effects,
      baseline: raw,
      subject: { label: 'batch consumer', run: through(kafkaBus, 'batch') },
    });
    const measured = { unit: 'events', rounds: 3, rateMin: targetPerSecond };
    await report.measure({
      ...measured,
      name: 'outbox → Kafka → effect',
      subject: { label: 'batch consumer', run: through(kafkaBus, 'batch') },
    });
    await report.measure({
      ...measured,
      name: 'outbox → embedded log → effect',
      subject: { label: 'batch consumer', run: through(createEmbeddedBus, 'batch') },
    });
    const single = { unit: 'events', rounds: 2 };
    await report.measure({
      ...single,
      name: 'outbox → Kafka → effect, a transaction per event',
      subject: { label: 'single consumer', run: through(kafkaBus, 'single') },
    });
    report.note(
      `${eventsPerRun.toLocaleString('en-US')} events per run, written by ${writers} writers in transactions of ${eventsPerTransaction}, ` +
        'relayed and consumed while they are written; the effect is an upsert per key in the transaction of the inbox. ' +
        'Publisher, relay, consumer, PostgreSQL (fsync off) and Kafka share the cores; the clock stops at the last effect.',
    );
  } finally {
    await engines.stop();
    await rm(scratch, { recursive: true, force: true });
  }
}

async function startEngines(scratch: string) {
  const postgres = await startPostgres({ dir: await mkdtemp(join(scratch, 'postgres-')) });
  const kafka = await startKafka({ dir: await mkdtemp(join(scratch, 'kafka-')) });
  const database = createDatabase({ url: postgres.url, poolMax: 16, statementTimeoutMs: 30_000 });
  await migrate(database, [platformMigrations]);
  await database.query(
    'CREATE TABLE urr.bench_effects (consumer_group text, key text, count integer, PRIMARY KEY (consumer_group, key))',
  );
  return {
    database,
    brokers: [kafka.brokers],
    async stop() {
      await database.close();
      await kafka.stop();
      await postgres.stop();
    },
  };
}

function aTopic() {
  return defineTopic({
    name: `bench-${ids.next()}`,
    key: 'buyer',
    retention: 'forever',
    types: {
      SEAT_TAKEN: {
        version: 1,
        summary: 'What a reservation event looks like in size.',
        data: Type.Object({
          seatId: Type.String(),
          eventId: Type.String(),
          grade: Type.String(),
          priceKrw: Type.Integer(),
        }),
      },
    },
  });
}

function anEvent(number: number) {
  const data = {
    seatId: `A-${number}`,
    eventId: '01890000-0000-7000-8000-000000000001',
    grade: 'VIP',
    priceKrw: 165_000,
  };
  return { type: 'SEAT_TAKEN' as const, key: `buyer-${number % 500}`, data };
}

async function throughBus(options: {
  database: Database;
  create: (options: BusOptions) => BusEngine;
  mode: ConsumerDeclaration['mode'];
  count: number;
}): Promise<number> {
  const { database, create, mode, count } = options;
  const topic = aTopic();
  const group = topic.name;
  const bus = create({ database, topics: [topic], clock: systemClock, ids });
  await bus.start();
  const allDone = Promise.withResolvers<void>();
  let effects = 0;
  await bus.consume(
    defineConsumer({
      declaration: { topic, group, mode, commit: 'manual', retry: { times: 3, backoffMs: 100 }, deadLetter: null },
      async handle(events, { tx }) {
        const counts = new Map<string, number>();
        for (const { key } of events) counts.set(key, (counts.get(key) ?? 0) + 1);
        await tx.query(
          `INSERT INTO urr.bench_effects (consumer_group, key, count) SELECT $1, key, count FROM unnest($2::text[], $3::integer[]) AS e (key, count)
           ON CONFLICT (consumer_group, key) DO UPDATE SET count = bench_effects.count + excluded.count`,
          [group, [...counts.keys()], [...counts.values()]],
        );
        effects += events.length;
        if (effects >= count) tx.afterCommit(() => allDone.resolve());
      },
    }),
  );
  // Not part of the measurement: joining the group and taking the locks.
  await delay(1_500);
  const started = performance.now();
  let next = 0;
  const write = async () => {
    while (next < count) {
      const events = Array.from({ length: eventsPerTransaction }, () => anEvent(next++));
      await database.transaction((tx) => bus.publish(tx, topic, events));
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
  const late = new AbortController();
  const timeout = delay(runTimeoutMs, null, { signal: late.signal }).then(() => {
    throw new Error(`only ${effects} of ${count} effects within ${runTimeoutMs} ms`);
  });
  await Promise.race([allDone.promise, timeout]);
  const seconds = (performance.now() - started) / 1_000;
  late.abort();
  await timeout.catch(() => undefined);
  await bus.stop();
  const { rows } = await database.query<{ sum: number }>(
    'SELECT sum(count) AS sum FROM urr.bench_effects WHERE consumer_group = $1',
    [group],
  );
  if (rows[0]?.sum !== count) throw new Error(`${rows[0]?.sum} effects instead of ${count}`);
  return count / seconds;
}

/** What the broker and its client can do at all: no database, no outbox, no inbox, no effect. */
async function rawKafka(brokers: readonly string[]): Promise<number> {
  const topic = aTopic();
  const connection = { clientId: 'bench', bootstrapBrokers: [...brokers] };
  const admin = new Admin(connection);
  await admin.createTopics({ topics: [topic.name], partitions: topic.partitions, replicas: 1 });
  await admin.close();
  const consumer = new KafkaClient({ ...connection, groupId: topic.name, autocommit: 100, maxWaitTime: 100 });
  const producer = new Producer({ ...connection, idempotent: true, acks: ProduceAcks.ALL });
  const stream = await consumer.consume({ topics: [topic.name], mode: 'earliest' });
  const batchSize = 500;
  const values = Array.from({ length: eventsPerRun }, (_, number) => {
    const event = anEvent(number);
    return {
      key: Buffer.from(event.key),
      value: Buffer.from(
        JSON.stringify({ id: ids.next(), version: 1, occurredAt: new Date().toISOString(), ...event }),
      ),
    };
  });
  const started = performance.now();
  const sending = (async () => {
    for (let start = 0; start < values.length; start += batchSize) {
      await producer.send({
        messages: values.slice(start, start + batchSize).map((value) => ({ topic: topic.name, ...value })),
      });
    }
  })();
  let received = 0;
  for await (const { value } of stream) {
    JSON.parse(value.toString());
    received += 1;
    if (received === eventsPerRun) break;
  }
  await sending;
  const seconds = (performance.now() - started) / 1_000;
  await consumer.close(true);
  await producer.close();
  return eventsPerRun / seconds;
}
