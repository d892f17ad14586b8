import { Admin } from '@platformatic/kafka';
import { isFault, platformErrors } from '#platform/errors.ts';
import { withTimeout } from '#platform/resilience/timeout.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { createControl } from '../control.ts';
import { clearInbox } from '../inbox.ts';
import { createMessages } from '../message.ts';
import { markPublished, outboxBacklog, readUnpublished } from '../outbox.ts';
import type { BusEngine, TopicDefinition } from '../port.ts';
import { createPublisher } from '../publisher.ts';
import { createRelay } from '../relay.ts';
import { createUpkeep } from '../upkeep.ts';
import { settledWithin } from '../waiting.ts';
import { kafkaLag, replayKafkaDeadLetters, replayKafkaFromBeginning } from './kafka-admin.ts';
import { startKafkaConsumer } from './kafka-consumer.ts';
import { connectionOptions, type KafkaBusOptions } from './kafka-options.ts';
import { createKafkaSender } from './kafka-sender.ts';
import { ensureTopics } from './kafka-topics.ts';

const publishNowTimeoutMs = 2_000;
const relayTimeoutMs = 10_000;
/** Of each partition in one turn of the relay. */
const relayLimits = { rowsMax: 1_000, bytesMax: 2 * 1_024 * 1_024 };
const adminTimeoutMs = 10_000;
const pingTimeoutMs = 2_000;
const closeTimeoutMs = 1_000;
const deadLetterBytesMax = 2 * 1_024 * 1_024;

/** The bus on Kafka: the outbox is relayed to topics, and consumers are Kafka consumer groups. */
export function createKafkaBus(options: KafkaBusOptions): BusEngine {
  const { database, topics, clock, logger = silentLogger, observe = {}, failpoint = async () => {} } = options;
  const messages = createMessages(options);
  const control = createControl({ ...options, logger });
  const admin = new Admin(connectionOptions(options));
  // Apart, so that a large batch of the relay never delays a publishNow, nor a failure of one the other.
  const relaySender = createKafkaSender({ ...options, timeoutMs: relayTimeoutMs });
  const sender = createKafkaSender({ ...options, timeoutMs: publishNowTimeoutMs });
  const consumers = new Map<{ stop(): Promise<void> }, { topic: string; group: string }>();

  async function relayBatch(partitions: readonly number[]) {
    const rows = await readUnpublished(control, partitions, relayLimits);
    if (rows.length === 0) return { count: 0, more: false };
    await relaySender.send(rows.map((row) => ({ ...row, value: row.raw ?? row.value })));
    await failpoint('relay-sent');
    await markPublished(
      control,
      rows.map((row) => row.id),
    );
    if (observe.relayed)
      for (const [topic, count] of countBy(rows.map((row) => row.topic))) observe.relayed(topic, count);
    const bytes = rows.reduce((sum, row) => sum + row.value.length, 0);
    return { count: rows.length, more: rows.length >= relayLimits.rowsMax || bytes >= relayLimits.bytesMax };
  }

  /** A letter keeps the partition of its message, so the letters have as many as the topic, also those of a newer version. */
  async function prepareTopics(topic: TopicDefinition, deadLetter: string | null): Promise<void> {
    const found = await ensureTopics(admin, [topic], options.replication);
    if (deadLetter === null) return;
    const letters = {
      name: deadLetter,
      partitions: Math.max(topic.partitions, found.get(topic.name) ?? 0),
      retention: 'forever' as const,
      messageBytesMax: deadLetterBytesMax,
      grows: true,
    };
    await ensureTopics(admin, [letters], options.replication);
  }

  const partitions = Math.max(1, ...topics.map((topic) => topic.partitions));
  const relay = options.relay === false ? null : createRelay({ control, partitions, relayBatch, logger });
  const publisher = createPublisher({ database, messages, observe, relay });
  const lag = () => onBroker(() => kafkaLag(admin, topics), adminTimeoutMs);
  const upkeep = createUpkeep({ ...options, logger, lag, consumed: () => [...consumers.values()] });

  return {
    publish: (tx, topic, events) => publisher.publish(tx, topic, events),

    async publishNow(topic, events) {
      await sender.send(messages.encode(topic, events));
      observe.published?.(topic.name, events.length);
    },

    async consume(consumer) {
      const { topic, group, deadLetter } = consumer.declaration;
      const prepare = () => onBroker(() => prepareTopics(topic, deadLetter), adminTimeoutMs);
      const running = startKafkaConsumer({
        consumer,
        kafka: options,
        sender,
        prepare,
        database,
        messages,
        clock,
        logger,
        observe,
        failpoint,
      });
      consumers.set(running, { topic: topic.name, group });
      return async () => {
        consumers.delete(running);
        await running.stop();
      };
    },

    lag,
    outboxBacklog: () => outboxBacklog(database),
    replayDeadLetter: ({ topic, limit }) =>
      onBroker(() => replayKafkaDeadLetters({ admin, kafka: options, sender, topic, limit }), adminTimeoutMs * 4),

    async replayFromBeginning({ topic, group }) {
      const partitionsOfTopic = topics.find(({ name }) => name === topic)?.partitions ?? partitions;
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
      await upkeep.stop();
      await Promise.all([...consumers.keys()].map((consumer) => consumer.stop()));
      consumers.clear();
      await relay?.stop();
      await control.stop();
      await Promise.all([relaySender.close(), sender.close(), settledWithin(admin.close(), closeTimeoutMs)]);
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

function countBy(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
