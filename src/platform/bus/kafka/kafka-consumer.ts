import { type ConsumerOptions, Consumer as KafkaClient, type Message as KafkaMessage } from '@platformatic/kafka';
import { isFault } from '#platform/errors.ts';
import type { Consumer } from '../port.ts';
import type { ProcessorOptions } from '../processor.ts';
import { backoffMs, settledWithin, sleep } from '../waiting.ts';
import { createKafkaCommits } from './kafka-commits.ts';
import { connectionOptions, type KafkaBusOptions, kafkaGroup } from './kafka-options.ts';
import { createPartitionQueues } from './kafka-partition-queues.ts';
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

type ClientOptions = ConsumerOptions<Buffer, Buffer, Buffer, Buffer>;

interface Options extends Omit<ProcessorOptions, 'delivery' | 'signal'> {
  readonly consumer: Consumer;
  readonly kafka: KafkaBusOptions;
  /** Makes the topics that this consumer needs. Called before each connection, so a broker that lost them is healed. */
  readonly prepare: () => Promise<void>;
  /** The client of the library, one for each membership. A test plays it. */
  readonly createClient?: (options: ClientOptions) => KafkaClient;
}

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
  const { createClient = (clientOptions) => new KafkaClient(clientOptions) } = options;
  const sessionTimeout = options.kafka.sessionTimeoutMs ?? sessionTimeoutDefaultMs;
  const client = createClient({
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
  const queues = createPartitionQueues({ ...options, commits, signal: either, failed: end });
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
      // What the queues have taken in counts offsets that the topic no longer has.
      if (found.some(({ partition }) => queues.has(partition))) {
        commits.discard();
        end(new TopicChanged(`${topic.name} lost messages`));
      }
    });
    const stream = await joinGroup(options, { client, started, memory });
    stream.on('error', end);
    stream.on('close', () => end(null));
    const pump = () => {
      while (queues.hasRoom() && !either.aborted) {
        const message: KafkaMessage | null = stream.read();
        if (message === null) return;
        queues.push(message);
      }
    };
    stream.on('readable', pump);
    queues.onRoom(pump);
    if (!either.aborted)
      await new Promise<void>((resolve) => either.addEventListener('abort', () => resolve(), { once: true }));
    await settledWithin(queues.idle(), stopTimeoutMs);
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
