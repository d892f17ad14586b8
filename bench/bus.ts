import type { ConsumerDeclaration } from '#platform/bus/port.ts';
import { throughBareClient } from './bus/bare-client.ts';
import { besideABusyTopic } from './bus/busy-neighbour.ts';
import { type BenchEngines, type CreateBus, startBenchEngines } from './bus/engines.ts';
import { intoOutbox, throughBus } from './bus/throughput.ts';
import { type BenchReport, median } from './report.ts';

const load = { events: 30_000, writers: 8, eventsPerTransaction: 10 };
const oneByOneLoad = { ...load, events: 5_000 };
const eventsPerSecondMin = 10_000;
const ratioMin = 0.3;
const delayMaxMs = 100;
const warmUps = 2;
const neighbourPairs = 5;

/** Outbox → broker → effect, end to end in one process beside the engines, against the bare broker. */
export async function run(report: BenchReport): Promise<void> {
  const engines = await startBenchEngines();
  try {
    await throughput(report, engines);
    await neighbours(report, engines);
  } finally {
    await engines.stop();
  }
  const events = load.events.toLocaleString('en-US');
  report.note(
    `${events} events per run, written by ${load.writers} writers in transactions of ${load.eventsPerTransaction}, relayed and consumed while they ` +
      `are written; the effect is an upsert per key in the transaction of the inbox. The first ${warmUps} runs of each are left out, and tables are ` +
      'emptied before each. Publisher, relay, consumer, PostgreSQL (fsync off) and Kafka share the cores and write to memory where the system has such a folder; the clock stops at the last effect.',
  );
  report.note(
    'The bare client (idempotent, acks all) has neither database nor effect. Why it is compared under the same load: docs/adr/0036.',
  );
  report.note(
    'Beside a busy topic: p99 from before the transaction of an event to after the one of its effect, one every 10 ms, first alone and then while ' +
      'the outbox holds 200,000 rows of another topic, which is consumed in the same process; the median of the differences of five pairs.',
  );
}

async function throughput(report: BenchReport, engines: BenchEngines): Promise<void> {
  const { kafka, embedded } = engines.createBus;
  const through =
    (create: CreateBus, declared: Pick<ConsumerDeclaration, 'mode' | 'batchSizeMax'>, of = load) =>
    () =>
      throughBus({ engines, create, declared, load: of });
  const bare = (writers: number, eventsPerSend: number) => () =>
    throughBareClient({ brokers: engines.brokers, events: load.events, writers, eventsPerSend });
  const batch = { mode: 'batch' } as const;
  const single = { mode: 'single' } as const;
  await report.compare({
    name: 'outbox → Kafka → effect',
    unit: 'events',
    warmUps,
    baseline: {
      label: `the bare client under the same load (${load.writers} writers, ${load.eventsPerTransaction} at a time)`,
      run: bare(load.writers, load.eventsPerTransaction),
    },
    subject: { label: 'batch consumer', run: through(kafka, batch) },
    ratioMin,
    rateMin: eventsPerSecondMin,
  });
  const measured = { unit: 'events', warmUps };
  await report.measure({
    ...measured,
    name: 'outbox → embedded log → effect',
    subject: { label: 'batch consumer', run: through(embedded, batch) },
    rateMin: eventsPerSecondMin,
  });
  const few = { unit: 'events', warmUps: 1, rounds: 3 };
  await report.measure({
    ...few,
    name: 'the writers alone: into the outbox, and nothing takes it from there',
    subject: {
      label: `${load.writers} writers, ${load.eventsPerTransaction} at a time`,
      run: () => intoOutbox({ engines, create: kafka, load }),
    },
  });
  await report.measure({
    ...few,
    name: 'the bare client as fast as it can',
    subject: { label: '1 writer, batches of 500', run: bare(1, 500) },
  });
  for (const [broker, create] of [
    ['Kafka', kafka],
    ['embedded log', embedded],
  ] as const) {
    await report.measure({
      ...few,
      name: `outbox → ${broker} → effect, the handler called for each event`,
      subject: { label: 'single consumer', run: through(create, single) },
    });
  }
  await report.measure({
    ...few,
    name: 'outbox → Kafka → effect, a transaction for each event',
    subject: {
      label: 'single consumer, batchSizeMax 1',
      run: through(kafka, { ...single, batchSizeMax: 1 }, oneByOneLoad),
    },
  });
}

async function neighbours(report: BenchReport, engines: BenchEngines): Promise<void> {
  for (const [broker, create] of [
    ['Kafka', engines.createBus.kafka],
    ['embedded log', engines.createBus.embedded],
  ] as const) {
    const pairs: { alone: number; beside: number }[] = [];
    for (let pair = 0; pair < neighbourPairs; pair++) pairs.push(await besideABusyTopic({ engines, create }));
    const said = pairs.map(({ alone, beside }) => `${alone.toFixed(0)} → ${beside.toFixed(0)}`).join(', ');
    report.weigh({
      name: `p99 of an event beside 200,000 of another topic, ${broker}`,
      subject: `${said} ms: longer by`,
      value: Math.max(0, median(pairs.map(({ alone, beside }) => beside - alone))),
      unit: 'ms',
      max: delayMaxMs,
    });
  }
}
