import { platformErrors } from '#platform/errors.ts';
import { withTimeout } from '#platform/resilience/timeout.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { createControl } from '../control.ts';
import { checkDeclaration } from '../declaration.ts';
import { openLetters } from '../letter-source.ts';
import { createLettersAdmin, refuseWhileLettersWait } from '../letters-admin.ts';
import { createMessages, InvalidEvent } from '../message.ts';
import type { BusOptions } from '../options.ts';
import { outboxBacklog } from '../outbox.ts';
import type { BusEngine } from '../port.ts';
import { createPublisher } from '../publisher.ts';
import { listRefused, releaseRefused } from '../refused.ts';
import { type Carrier, createRelay } from '../relay.ts';
import { createTurnQuota } from '../turn-quota.ts';
import { createUpkeep } from '../upkeep.ts';
import { embeddedLag, replayEmbeddedFromBeginning } from './embedded-admin.ts';
import { type EmbeddedConsumer, startEmbeddedConsumer } from './embedded-consumer.ts';
import { countPartitions, logChannel, pruneLog, relayToLog } from './embedded-log.ts';

const publishNowTimeoutMs = 2_000;

/** The bus without a broker: a log in PostgreSQL, with partitions, consumer groups and offsets. */
export function createEmbeddedBus(options: BusOptions): BusEngine {
  const { database, topics, clock, logger = silentLogger, observe = {}, failpoint = async () => {} } = options;
  const messages = createMessages(options);
  const control = createControl({ ...options, logger });
  const consumers = new Map<EmbeddedConsumer, { topic: string; group: string; deadLetter: string | null }>();
  let partitionsInLog: ReadonlyMap<string, number> = new Map();

  function wakeConsumers(topic: string): void {
    for (const [consumer, name] of consumers) if (name.topic === topic) consumer.wake();
  }

  const quota = createTurnQuota();
  const carrier: Carrier = {
    async carry(lanes) {
      const limits = quota.perLane();
      const appended = await relayToLog(control, [...new Set(lanes.map((lane) => lane.partition))], limits);
      for (const part of appended) observe.relayed?.(part.topic, part.appended);
      if (appended.length > 0) await failpoint('relay-sent');
      quota.used(appended.length);
      return {
        moved: appended.map(({ topic, partition, appended: count }) => ({ lane: { topic, partition }, count })),
        more: appended.some((part) => part.appended >= limits.rowsMax || part.bytes >= limits.bytesMax),
      };
    },
  };

  const partitions = Math.max(1, ...topics.map((topic) => topic.partitions));
  const relay = options.relay === false ? null : createRelay({ control, partitions, carrier, logger });
  const publisher = createPublisher({ database, messages, observe, relay });
  const lag = () => embeddedLag(database);
  const lettersAdmin = createLettersAdmin(database);
  const upkeep = createUpkeep({
    ...options,
    ...lettersAdmin,
    logger,
    lag,
    consumed: () => [...consumers.values()],
    deadLetters: () => [...consumers.values()].flatMap(({ deadLetter }) => deadLetter ?? []),
    pruneLog,
  });
  control.onNotice(logChannel, wakeConsumers);
  control.beforeLook(async (on) => {
    if (consumers.size > 0) partitionsInLog = await countPartitions(on);
  });

  return {
    publish: (tx, topic, events) => publisher.publish(tx, topic, events),
    wakeRelays: () => publisher.wakeRelays(Array(partitions).keys()),

    // The committed outbox row is the acknowledgement: it is as durable as the log it will be moved to.
    async publishNow(topic, events) {
      const away = (cause?: unknown) => platformErrors.fault('BUS_UNAVAILABLE', { cause });
      const written = database.transaction((tx) => publisher.publish(tx, topic, events), {
        statementTimeoutMs: publishNowTimeoutMs,
        retry: false,
      });
      await withTimeout(written, publishNowTimeoutMs, away).catch((error: unknown) => {
        throw error instanceof InvalidEvent ? error : away(error);
      });
    },

    async consume(consumer) {
      const { topic, group, deadLetter } = consumer.declaration;
      checkDeclaration(consumer.declaration);
      control.start();
      const shared = { consumer, control, database, messages, clock, logger, observe, failpoint };
      const letters = openLetters({ ...shared, copyAs: 'json', wakeRelays: publisher.wakeRelays });
      const reader = startEmbeddedConsumer({
        ...shared,
        letters: letters.box,
        partitionsInLog: () => partitionsInLog.get(topic.name) ?? 0,
      });
      const running: EmbeddedConsumer = {
        wake: reader.wake,
        async stop() {
          await Promise.all([reader.stop(), letters.stop()]);
        },
      };
      consumers.set(running, { topic: topic.name, group, deadLetter });
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
      await replayEmbeddedFromBeginning(database, { topic, group, partitions: partitionsOfTopic });
    },

    async start() {
      await database.ping();
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
    },

    ping: () => database.ping(),
  };
}
