import { Consumer as KafkaClient, type Message as KafkaMessage } from '@platformatic/kafka';
import { isFault } from '#platform/errors.ts';
import type { Message } from '../message.ts';
import type { Consumer } from '../port.ts';
import { chunkSizeMax, createProcessor, type Delivery, type ProcessorOptions, ProcessorStopped } from '../processor.ts';
import { backoffMs, settledWithin, sleep } from '../waiting.ts';
import { createKafkaCommits, type KafkaCommits } from './kafka-commits.ts';
import { connectionOptions, type KafkaBusOptions, kafkaGroup } from './kafka-options.ts';
import {
  commitEarliest,
  consumedTopicId,
  ignoreCommittedOffsets,
  type KafkaTopicState,
  lookAtTopic,
  type OutOfRange,
  rememberConsumedTopic,
  TopicChanged,
  watchOffsets,
  watchTopic,
} from './kafka-topic-watch.ts';
import { isUnreached } from './kafka-verdicts.ts';

interface Options extends Omit<ProcessorOptions, 'delivery' | 'signal'> {
  readonly consumer: Consumer;
  readonly kafka: KafkaBusOptions;
  /** Makes the topics that this consumer needs. Called before each connection, so a broker that lost them is healed. */
  readonly prepare: () => Promise<void>;
}

/** What waits between the broker and the handlers. */
const bufferedMax = 4_000;
const fetchBytesMax = 4 * 1_024 * 1_024;
const fetchWaitMs = 500;
const sessionTimeoutDefaultMs = 10_000;
const rebalanceTimeoutMs = 20_000;
const stopTimeoutMs = 10_000;
const closeTimeoutMs = 3_000;
const reconnectBackoff = { baseMs: 200, maxMs: 3_000 };

/** Consumes until stopped. When the broker goes away the connection is built anew until it is back. */
export function startKafkaConsumer(options: Options): { stop(): Promise<void> } {
  const { topic, group } = options.consumer.declaration;
  const stopping = new AbortController();
  const memory: Memory = { topicId: null };
  const running = (async () => {
    let failures = 0;
    while (!stopping.signal.aborted) {
      const started = performance.now();
      try {
        await consumeOnce(options, memory, stopping.signal);
      } catch (error) {
        if (stopping.signal.aborted) return;
        if (error instanceof TopicChanged) {
          options.logger.info({ topic: topic.name, group, reason: error.message }, 'a consumer joins its group anew');
          await sleep(reconnectBackoff.baseMs, stopping.signal);
          continue;
        }
        if (performance.now() - started > reconnectBackoff.maxMs * 2) failures = 0;
        failures += 1;
        const isAway = isBrokerAway(error);
        if (isAway) options.observe.failed?.({ topic: topic.name, group }, 'outage');
        if (failures === 1)
          options.logger.warn(
            { err: error, topic: topic.name, group },
            isAway
              ? 'a consumer lost the broker and connects again'
              : 'a consumer cannot go on and joins its group anew',
          );
        await sleep(backoffMs(failures, reconnectBackoff), stopping.signal);
      }
    }
  })();
  return {
    async stop() {
      stopping.abort();
      const inTime = await settledWithin(running, stopTimeoutMs + closeTimeoutMs);
      if (!inTime)
        options.logger.warn(
          { topic: topic.name, group },
          'a consumer did not stop in time; its message will be delivered again',
        );
    },
  };
}

function isBrokerAway(error: unknown): boolean {
  const inner = isFault(error, 'BUS_UNAVAILABLE') ? (error.cause ?? error) : error;
  return isFault(inner, 'BUS_UNAVAILABLE') || isUnreached(inner);
}

/** What one membership leaves to the next. */
interface Memory {
  /** The topic that this process read last. */
  topicId: string | null;
}

/** One membership of the group. Returns when told to stop; throws when the membership cannot go on. */
async function consumeOnce(options: Options, memory: Memory, signal: AbortSignal): Promise<void> {
  const { topic, group } = options.consumer.declaration;
  await options.prepare();
  const sessionTimeout = options.kafka.sessionTimeoutMs ?? sessionTimeoutDefaultMs;
  const client = new KafkaClient({
    ...connectionOptions(options.kafka),
    groupId: kafkaGroup({ group, topic: topic.name }),
    // The library retries a rejoin by this number too, and a rebalance may need a few.
    retries: 5,
    retryDelay: 200,
    sessionTimeout,
    rebalanceTimeout: Math.max(rebalanceTimeoutMs, sessionTimeout),
    heartbeatInterval: Math.floor(sessionTimeout / 5),
    heartbeatStallTimeout: sessionTimeout * 2,
    autocommit: false,
    minBytes: 1,
    maxBytes: fetchBytesMax,
    maxWaitTime: fetchWaitMs,
    highWaterMark: 1_024,
  });
  const over = new AbortController();
  const end = (error: unknown) =>
    over.abort(error instanceof Error ? error : new Error('the stream of messages ended'));
  const either = AbortSignal.any([signal, over.signal]);
  // After each rebalance the topic is looked at before anything is committed: a member that saw first that the topic is
  // a new one has set the group back by then, and an offset of the old one must not land on top of that.
  let verified = false;
  client.on('consumer:group:join', () => {
    verified = false;
  });
  const verify = async () => {
    if (!verified) await lookAtTopic(client, topic.name);
    verified = true;
  };
  const commits = createKafkaCommits({ client, topic: topic.name, logger: options.logger, verify });
  const lanes = createLanes({ ...options, commits, signal: either, failed: end });
  let watch: { stop(): void } | null = null;
  try {
    client.on('error', end);
    client.on('consumer:heartbeat:stalled', ({ lastError }) =>
      end(lastError ?? new Error('no heartbeat was answered')),
    );
    const started = await lookAtTopic(client, topic.name);
    watch = watchTopic(client, {
      topic: topic.name,
      started,
      changed(error) {
        commits.discard();
        end(error);
      },
    });
    watchOffsets(client, (found) => {
      sayOutOfRange(options, found);
      // What the lanes have taken in counts offsets that the topic no longer has.
      if (found.some(({ partition }) => lanes.has(partition))) {
        commits.discard();
        end(new TopicChanged(`${topic.name} lost messages`));
      }
    });
    const stream = await joinGroup(options, { client, started, memory });
    stream.on('error', end);
    stream.on('close', () => end(null));
    const pump = () => {
      while (lanes.hasRoom() && !either.aborted) {
        const message: KafkaMessage | null = stream.read();
        if (message === null) return;
        lanes.push(message);
      }
    };
    stream.on('readable', pump);
    lanes.onRoom(pump);
    if (!either.aborted)
      await new Promise<void>((resolve) => either.addEventListener('abort', () => resolve(), { once: true }));
    await settledWithin(lanes.idle(), stopTimeoutMs);
    await settledWithin(commits.flush(), closeTimeoutMs);
  } finally {
    watch?.stop();
    over.abort();
    await settledWithin(client.close(true), closeTimeoutMs);
  }
  if (!signal.aborted) throw over.signal.reason;
}

/**
 * The group's committed offsets count only for the topic that they were committed for. After a topic was deleted and made
 * again the group begins at its earliest message; those that it has had already are found in the inbox.
 */
async function joinGroup(
  { consumer, database, logger, observe }: Options,
  { client, started, memory }: { client: KafkaClient; started: KafkaTopicState; memory: Memory },
) {
  const { topic, group } = consumer.declaration;
  const name = { topic: topic.name, group };
  const consumed = await consumedTopicId(database, { ...name, id: started.id });
  // Also when another member has seen it before: this process may have committed an offset of the old topic since.
  const replaced = consumed !== started.id || (memory.topicId ?? started.id) !== started.id;
  const ignoring = replaced ? ignoreCommittedOffsets(client) : null;
  const stream = await client.consume({ topics: [topic.name], mode: 'committed', fallbackMode: 'earliest' });
  if (ignoring !== null) {
    await commitEarliest(client, topic.name);
    await rememberConsumedTopic(database, { ...name, id: started.id });
    ignoring.stop();
    logger.error(name, 'a topic was deleted and made again; this group reads it from its beginning');
    observe.topicReplaced?.(topic.name);
  }
  memory.topicId = started.id;
  return stream;
}

function sayOutOfRange({ consumer, logger }: Options, found: readonly OutOfRange[]): void {
  const { topic, group } = consumer.declaration;
  for (const { partition, offset } of found)
    logger.error(
      { topic: topic.name, group, partition, offset },
      'an offset of a group is not in its topic; it reads from the earliest message that is there',
    );
}

interface Lane {
  readonly queue: KafkaMessage[];
  /** Everything before this offset has been taken in. After a rebalance the client fetches again from the last commit. */
  position: bigint;
  working: Promise<void> | null;
}

/**
 * One lane per partition, each in order and one message (or batch) at a time. A lane whose partition went to another
 * consumer works off what it has: both handle the same messages from the last commit on, each in order, and the inbox
 * lets the first through, so neither the effect nor its order suffers. Throwing the queue away instead could lose
 * messages when the partition comes back before anybody committed.
 */
function createLanes(
  options: Options & { commits: KafkaCommits; signal: AbortSignal; failed: (error: unknown) => void },
) {
  const { consumer, commits, signal, failed } = options;
  const { declaration } = consumer;
  const lanes = new Map<number, Lane>();
  const takeMax = chunkSizeMax(declaration);
  let buffered = 0;
  let notifyRoom = () => {};

  const delivery: Delivery = {
    received: async (messages) => mark(messages),
    // Offsets are committed to the broker after the transaction; the inbox covers the time between.
    advance: async () => {},
  };
  const processor = createProcessor({ ...options, delivery });

  function mark(messages: readonly Message[]): void {
    const last = messages.at(-1);
    if (last !== undefined) commits.mark(last.partition, last.offset + 1);
  }

  async function work(lane: Lane): Promise<void> {
    try {
      while (lane.queue.length > 0 && !signal.aborted) {
        const messages = lane.queue.splice(0, takeMax).map(toMessage);
        await processor.process(messages);
        if (declaration.commit === 'manual') mark(messages);
        buffered -= messages.length;
        notifyRoom();
      }
    } catch (error) {
      if (!(error instanceof ProcessorStopped)) failed(error);
    } finally {
      lane.working = null;
    }
  }

  return {
    has: (partition: number) => lanes.has(partition),
    hasRoom: () => buffered < bufferedMax,
    onRoom(listener: () => void) {
      notifyRoom = listener;
    },
    push(message: KafkaMessage) {
      const lane: Lane = lanes.get(message.partition) ?? { queue: [], position: -1n, working: null };
      lanes.set(message.partition, lane);
      if (message.offset < lane.position) return;
      lane.position = message.offset + 1n;
      lane.queue.push(message);
      buffered += 1;
      lane.working ??= Promise.resolve().then(() => work(lane));
    },
    async idle() {
      await Promise.all([...lanes.values()].map((lane) => lane.working));
    },
  };
}

function toMessage(message: KafkaMessage): Message {
  const headers = message.headerEntries.map(([name, value]) => [String(name), String(value)]);
  // Tombstones and keyless messages of foreign producers have neither value nor key, whatever the types say.
  const bytes = message.value ?? Buffer.alloc(0);
  return {
    topic: message.topic,
    partition: message.partition,
    offset: Number(message.offset),
    key: message.key?.toString() ?? '',
    value: bytes.toString(),
    headers: Object.fromEntries(headers),
    bytes,
  };
}
