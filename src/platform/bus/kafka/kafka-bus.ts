import { Admin } from '@platformatic/kafka';
import { isFault, platformErrors } from '#platform/errors.ts';
import { withTimeout } from '#platform/resilience/timeout.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { createControl } from '../control.ts';
import { checkDeclaration } from '../declaration.ts';
import { clearInbox } from '../inbox.ts';
import { openLetters } from '../letter-source.ts';
import { createLettersAdmin, refuseWhileLettersWait } from '../letters-admin.ts';
import { createMessages } from '../message.ts';
import { outboxBacklog } from '../outbox.ts';
import type { BusEngine, PartitionLag, TopicDefinition } from '../port.ts';
import { createPublisher } from '../publisher.ts';
import { listRefused, releaseRefused } from '../refused.ts';
import { createRelay } from '../relay.ts';
import { createUpkeep } from '../upkeep.ts';
import { settledWithin } from '../waiting.ts';
import { kafkaLag, replayKafkaFromBeginning } from './kafka-admin.ts';
import { createKafkaCarrier } from './kafka-carrier.ts';
import { createKafkaCatalogue } from './kafka-catalogue.ts';
import { startKafkaConsumer } from './kafka-consumer.ts';
import { connectionOptions, type KafkaBusOptions } from './kafka-options.ts';
import { createKafkaProducer } from './kafka-producer.ts';
import { createKafkaSender } from './kafka-sender.ts';
import { ensureTopics, makeMissingTopics, type WantedTopic } from './kafka-topics.ts';
import { brokerAnswer } from './kafka-verdicts.ts';

const publishNowTimeoutMs = 2_000;
const relayTimeoutMs = 10_000;
const adminTimeoutMs = 10_000;
const pingTimeoutMs = 2_000;
const closeTimeoutMs = 1_000;
/** A broker that hangs answers nothing. Together less than the 10 s that a container is usually given to stop. */
const stopTimeoutMs = 5_000;
const abandonTimeoutMs = 2_000;
const deadLetterBytesMax = 2 * 1_024 * 1_024;

/** The bus on Kafka: the outbox is relayed to topics, and consumers are Kafka consumer groups. */
export function createKafkaBus(options: KafkaBusOptions): BusEngine {
  const { database, topics, clock, logger = silentLogger, observe = {}, failpoint = async () => {} } = options;
  const messages = createMessages(options);
  const control = createControl({ ...options, logger });
  const admin = new Admin(connectionOptions(options));
  // Apart from the relay's producers, so that a large batch of it never delays a publishNow, nor a failure of one the other.
  const sender = createKafkaSender({ ...options, timeoutMs: publishNowTimeoutMs });
  const consumers = new Map<{ stop(): Promise<void> }, { topic: string; group: string }>();

  const partitions = Math.max(1, ...topics.map((topic) => topic.partitions));
  const carrier = createKafkaCarrier({
    control,
    catalogue: createKafkaCatalogue({ admin }),
    declared: new Set(topics.map((topic) => topic.name)),
    makeTopic,
    createProducer: () => createKafkaProducer({ ...options, timeoutMs: relayTimeoutMs }),
    logger,
    observe,
    failpoint,
  });

  /** One that this program does not declare is a dead-letter topic, or of another version: made so that it takes anything. */
  async function makeTopic(name: string): Promise<void> {
    const topic = topics.find((candidate) => candidate.name === name) ?? aDeadLetterTopic(name, partitions);
    await onBroker(() => ensureTopics(admin, [topic], options.replication), adminTimeoutMs);
  }

  /** A letter keeps the partition of its message, so the letters have as many as the topic, also those of a newer version. */
  async function prepareTopics(topic: TopicDefinition, deadLetter: string | null): Promise<void> {
    const found = await makeMissingTopics(admin, [topic], options.replication);
    if (deadLetter === null) return;
    const letters = aDeadLetterTopic(deadLetter, Math.max(topic.partitions, found.get(topic.name) ?? 0));
    try {
      await ensureTopics(admin, [letters], options.replication);
    } catch (error) {
      const reason = brokerAnswer(error);
      if (reason === null) throw error;
      // The letters themselves are in PostgreSQL, and their copies wait in the outbox.
      logger.warn({ topic: deadLetter, reason }, 'a dead-letter topic cannot be made as it should be');
    }
  }

  const relay = options.relay === false ? null : createRelay({ control, partitions, carrier, logger });
  const publisher = createPublisher({ database, messages, observe, relay });
  const lag = () => onBroker(() => kafkaLag(admin, topics, logger), adminTimeoutMs);
  const stopping = new AbortController();
  // Nobody waits for the lag when the program stops.
  const stopped = new Promise<PartitionLag[]>((resolve) =>
    stopping.signal.addEventListener('abort', () => resolve([]), { once: true }),
  );
  const lagUntilStopped = () => Promise.race([lag(), stopped]);
  const lettersAdmin = createLettersAdmin(database);
  const upkeep = createUpkeep({
    ...options,
    ...lettersAdmin,
    logger,
    lag: lagUntilStopped,
    consumed: () => [...consumers.values()],
  });

  return {
    publish: (tx, topic, events) => publisher.publish(tx, topic, events),
    wakeRelays: () => publisher.wakeRelays(Array(partitions).keys()),

    async publishNow(topic, events) {
      await sender.send(messages.encode(topic, events));
      observe.published?.(topic.name, events.length);
    },

    async consume(consumer) {
      const { topic, group, deadLetter } = consumer.declaration;
      checkDeclaration(consumer.declaration);
      control.start();
      const prepare = () => onBroker(() => prepareTopics(topic, deadLetter), adminTimeoutMs);
      const shared = { consumer, database, messages, clock, logger, observe, failpoint };
      const copies = { copyAs: 'bytes', wakeRelays: publisher.wakeRelays } as const;
      const letters = openLetters({ ...shared, ...copies, control });
      const reader = startKafkaConsumer({ ...shared, kafka: options, prepare, letters: letters.box });
      const running = {
        async stop() {
          await Promise.all([reader.stop(), letters.stop()]);
        },
      };
      consumers.set(running, { topic: topic.name, group });
      return async () => {
        consumers.delete(running);
        await running.stop();
      };
    },

    lag,
    outboxBacklog: () => outboxBacklog(database),
    refusedRows: (page) => listRefused(database, page),
    releaseRefused: (row) => releaseRefused(database, row),
    ...lettersAdmin,

    async replayFromBeginning({ topic, group }) {
      const partitionsOfTopic = topics.find(({ name }) => name === topic)?.partitions ?? partitions;
      await refuseWhileLettersWait(database, { topic, group });
      await onBroker(
        () => replayKafkaFromBeginning(admin, { topic, group, partitions: partitionsOfTopic }),
        adminTimeoutMs,
      );
      // After the offsets: a crash in between makes the replay a run of repeats without effect, and it can be asked for again.
      await clearInbox(database, { topic, group });
    },

    async start() {
      await onBroker(() => ensureTopics(admin, topics, options.replication), adminTimeoutMs);
      control.start();
      relay?.start();
      upkeep.start();
    },

    async stop() {
      stopping.abort();
      const parts = [upkeep.stop(), ...[...consumers.keys()].map((consumer) => consumer.stop()), relay?.stop()];
      consumers.clear();
      if (!(await settledWithin(Promise.all(parts), stopTimeoutMs)))
        logger.warn({}, 'the bus did not stop in time; what was in hand is sent or delivered again');
      // Before the locks go: nothing may be sent for a partition that a peer has.
      await settledWithin(Promise.all([carrier.close(), sender.close()]), abandonTimeoutMs);
      await settledWithin(Promise.all([control.stop(), admin.close()]), closeTimeoutMs);
    },

    async ping() {
      await onBroker(() => admin.metadata({ topics: [], forceUpdate: true }), pingTimeoutMs);
    },
  };
}

/** The library's errors become the one fault that callers know; our own pass. */
async function onBroker<Result>(work: () => Promise<Result>, timeoutMs: number): Promise<Result> {
  try {
    return await withTimeout(work(), timeoutMs, () => platformErrors.fault('BUS_UNAVAILABLE'));
  } catch (error) {
    const foreign = error instanceof Error && 'code' in error && String(error.code).startsWith('PLT_KFK_');
    throw foreign && !isFault(error) ? platformErrors.fault('BUS_UNAVAILABLE', { cause: error }) : error;
  }
}

function aDeadLetterTopic(name: string, partitions: number): WantedTopic {
  return { name, partitions, retention: 'forever', messageBytesMax: deadLetterBytesMax, grows: true };
}
