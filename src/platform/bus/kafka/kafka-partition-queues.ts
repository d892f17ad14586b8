import type { Message as KafkaMessage } from '@platformatic/kafka';
import type { Message } from '../message.ts';
import { chunkSizeMax, createProcessor, type Delivery, type ProcessorOptions, ProcessorStopped } from '../processor.ts';
import type { KafkaCommits } from './kafka-commits.ts';

interface Options extends Omit<ProcessorOptions, 'delivery'> {
  readonly commits: KafkaCommits;
  readonly failed: (error: unknown) => void;
}

/** What waits between the broker and the handlers, of all partitions together. */
const bufferedMax = 4_000;

interface PartitionQueue {
  readonly messages: KafkaMessage[];
  /** Everything before this offset has been taken in. After a rebalance the client fetches again from the last commit. */
  position: bigint;
  working: Promise<void> | null;
}

/**
 * One queue per partition, each in order and one message (or batch) at a time. A queue whose partition went to another
 * consumer works off what it has: both handle the same messages from the last commit on, each in order, and the inbox
 * lets the first through, so neither the effect nor its order suffers. Throwing the queue away instead could lose
 * messages when the partition comes back before anybody committed.
 */
export function createPartitionQueues(options: Options) {
  const { consumer, commits, signal, failed } = options;
  const { declaration } = consumer;
  const queues = new Map<number, PartitionQueue>();
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

  async function work(queue: PartitionQueue): Promise<void> {
    try {
      while (queue.messages.length > 0 && !signal.aborted) {
        const messages = queue.messages.splice(0, takeMax).map(toMessage);
        await processor.process(messages);
        if (declaration.commit === 'manual') mark(messages);
        buffered -= messages.length;
        notifyRoom();
      }
    } catch (error) {
      if (!(error instanceof ProcessorStopped)) failed(error);
    } finally {
      queue.working = null;
    }
  }

  return {
    has: (partition: number) => queues.has(partition),
    hasRoom: () => buffered < bufferedMax,
    onRoom(listener: () => void) {
      notifyRoom = listener;
    },
    push(message: KafkaMessage) {
      const queue: PartitionQueue = queues.get(message.partition) ?? { messages: [], position: -1n, working: null };
      queues.set(message.partition, queue);
      if (message.offset < queue.position) return;
      queue.position = message.offset + 1n;
      queue.messages.push(message);
      buffered += 1;
      queue.working ??= Promise.resolve().then(() => work(queue));
    },
    async idle() {
      await Promise.all([...queues.values()].map((queue) => queue.working));
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
