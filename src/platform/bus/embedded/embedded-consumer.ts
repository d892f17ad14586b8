import type { Control } from '../control.ts';
import type { Message } from '../message.ts';
import type { Consumer } from '../port.ts';
import { chunkSizeMax, createProcessor, type Delivery, LostPartition, type ProcessorOptions } from '../processor.ts';
import { backoffMs, createWake, settledWithin, sleep, type Wake } from '../waiting.ts';
import { type GroupPartition, loadOffset, moveOffset, readLog } from './embedded-log.ts';

export interface EmbeddedConsumer {
  /** The topic has grown. */
  wake(): void;
  stop(): Promise<void>;
}

interface Options extends Omit<ProcessorOptions, 'delivery' | 'signal'> {
  readonly consumer: Consumer;
  readonly control: Control;
  /** How many partitions the topic has in the log so far. */
  readonly partitionsInLog: () => number;
}

/** The safety net under the notices. */
const pollMs = 500;
const stopTimeoutMs = 10_000;
const readMax = { rows: 1_000, bytes: 4 * 1_024 * 1_024 };
const failureBackoff = { baseMs: 100, maxMs: 3_000 };

/** Shares the topic's partitions out with the group's other consumers, and runs one reader for each that it holds. */
export function startEmbeddedConsumer(options: Options): EmbeddedConsumer {
  const { topic, group } = options.consumer.declaration;
  const readers = new Map<number, { wake: Wake; stopping: AbortController; done: Promise<void> }>();

  const share = options.control.share({
    name: claimName({ topic: topic.name, group }),
    partitions: () => Math.max(topic.partitions, options.partitionsInLog()),
    gained(partition) {
      const wake = createWake();
      const stopping = new AbortController();
      readers.set(partition, {
        wake,
        stopping,
        done: readPartition({ ...options, partition, wake, signal: stopping.signal }),
      });
    },
    async lost(partition) {
      const reader = readers.get(partition);
      reader?.stopping.abort();
      await reader?.done;
      readers.delete(partition);
    },
  });

  return {
    wake() {
      for (const reader of readers.values()) reader.wake.notify();
    },
    async stop() {
      const inTime = await settledWithin(share.leave(), stopTimeoutMs);
      if (!inTime)
        options.logger.warn(
          { topic: topic.name, group },
          'a consumer did not stop in time; its message will be delivered again',
        );
    },
  };
}

/** Under which name the group's consumers share a topic out; `replayFromBeginning` looks whether anybody holds it. */
export function claimName({ topic, group }: { topic: string; group: string }): string {
  return `urr:consume:${group}:${topic}`;
}

async function readPartition(options: Options & { partition: number; wake: Wake; signal: AbortSignal }): Promise<void> {
  const { consumer, database, logger, partition, wake, signal } = options;
  const { declaration } = consumer;
  const at: GroupPartition = { group: declaration.group, topic: declaration.topic.name, partition };
  const limits = {
    rowsMax: declaration.mode === 'batch' ? chunkSizeMax(declaration) : readMax.rows,
    bytesMax: readMax.bytes,
  };
  /** Where the group stands as far as this reader knows; null when it has to look. */
  let position: number | null = null;
  let failures = 0;

  const delivery: Delivery = {
    async received(messages) {
      const move = { from: position ?? 0, to: endOf(messages) };
      if (!(await moveOffset(database, at, move))) throw new LostPartition();
      position = move.to;
    },
    async advance(tx, messages) {
      const move = { from: position ?? 0, to: endOf(messages) };
      // The fence: of two readers that both believe to hold the partition only one can move from here.
      if (!(await moveOffset(tx, at, move))) throw new LostPartition();
      tx.afterCommit(() => {
        position = move.to;
      });
    },
  };
  const processor = createProcessor({ ...options, delivery });

  while (!signal.aborted) {
    try {
      position ??= await loadOffset(database, at);
      const messages = await readLog(database, { ...at, offset: position }, limits);
      tellGap(options, position, messages[0]);
      if (messages.length === 0) await wake.wait(pollMs, signal);
      else await processor.process(messages);
      failures = 0;
    } catch (error) {
      position = null;
      if (signal.aborted) return;
      failures += 1;
      if (failures === 1) logger.warn({ err: error, ...at }, 'reading a partition was interrupted');
      await sleep(backoffMs(failures, failureBackoff), signal);
    }
  }
}

/** Offsets have no gaps: one that is missing went with the retention. A group at 0 begins with the earliest that is there. */
function tellGap({ consumer, logger, partition }: Options & { partition: number }, from: number, next?: Message): void {
  if (next === undefined || next.offset === from || from === 0) return;
  const { topic, group } = consumer.declaration;
  logger.error(
    { topic: topic.name, group, partition, from, to: next.offset, lost: next.offset - from },
    'messages left the log by its retention before the group had read them',
  );
}

function endOf(messages: readonly Message[]): number {
  return (messages.at(-1)?.offset ?? 0) + 1;
}
