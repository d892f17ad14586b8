import type { BusEngine, ConsumerDeclaration } from '#platform/bus/port.ts';
import { systemClock } from '#platform/clock.ts';
import type { Database } from '#platform/postgres/database.ts';
import { withTimeout } from '#platform/resilience/timeout.ts';
import type { BenchEngines, CreateBus } from './engines.ts';
import { anEvent, aTopic, type BenchTopic, counter, ids } from './events.ts';

const runTimeoutMs = 120_000;
/** Before the clock starts: enough to reach every partition, so that the group has been joined and the locks are held. */
const firstEvents = 60;

export interface Load {
  readonly events: number;
  readonly writers: number;
  readonly eventsPerTransaction: number;
}

/** Events per second from the outbox to the last effect, while they are written. */
export async function throughBus(options: {
  engines: BenchEngines;
  create: CreateBus;
  declared: Pick<ConsumerDeclaration, 'mode' | 'batchSizeMax'>;
  load: Load;
}): Promise<number> {
  const { engines, create, declared, load } = options;
  const { database } = engines;
  await engines.clear();
  const topic = aTopic('bench');
  const bus = create({ database, topics: [topic], clock: systemClock, ids });
  await bus.start();
  let effects = 0;
  let wanted = firstEvents;
  let reached = Promise.withResolvers<void>();
  await bus.consume(
    counter(topic, declared, (events) => {
      effects += events.length;
      if (effects >= wanted) reached.resolve();
    }),
  );
  const effectsReached = () =>
    withTimeout(reached.promise, runTimeoutMs, () => new Error(`only ${effects} of ${wanted} effects in time`));
  const publish = publishOn(bus, topic, database);
  await publish(0, firstEvents);
  await effectsReached();
  wanted += load.events;
  reached = Promise.withResolvers<void>();

  const started = performance.now();
  await write(load, publish);
  await effectsReached();
  const seconds = (performance.now() - started) / 1_000;
  await bus.stop();
  const { rows } = await database.query<{ sum: number }>(
    'SELECT sum(count) AS sum FROM urr.bench_effects WHERE consumer_group = $1',
    [topic.name],
  );
  if (rows[0]?.sum !== wanted) throw new Error(`${rows[0]?.sum} effects instead of ${wanted}`);
  return load.events / seconds;
}

/** Events per second that the same writers commit to the outbox while nothing else happens. */
export async function intoOutbox(options: { engines: BenchEngines; create: CreateBus; load: Load }): Promise<number> {
  const { engines, create, load } = options;
  await engines.clear();
  const topic = aTopic('bench');
  const bus = create({ database: engines.database, topics: [topic], clock: systemClock, ids, relay: false });
  await bus.start();
  const started = performance.now();
  await write(load, publishOn(bus, topic, engines.database));
  const seconds = (performance.now() - started) / 1_000;
  await bus.stop();
  return load.events / seconds;
}

type Publish = (from: number, count: number) => Promise<void>;

function publishOn(bus: BusEngine, topic: BenchTopic, database: Database): Publish {
  return (from, count) =>
    database.transaction((tx) =>
      bus.publish(
        tx,
        topic,
        Array.from({ length: count }, (_, index) => anEvent(from + index)),
      ),
    );
}

async function write(load: Load, publish: Publish): Promise<void> {
  let next = 0;
  const writer = async () => {
    while (next < load.events) {
      const from = next;
      next += load.eventsPerTransaction;
      await publish(from, load.eventsPerTransaction);
    }
  };
  await Promise.all(Array.from({ length: load.writers }, writer));
}
