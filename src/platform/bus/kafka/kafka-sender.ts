import { ProduceAcks, Producer } from '@platformatic/kafka';
import { platformErrors } from '#platform/errors.ts';
import { withTimeout } from '#platform/resilience/timeout.ts';
import type { Headers } from '../message.ts';
import { connectionOptions, type KafkaBusOptions } from './kafka-options.ts';

export interface KafkaRecord {
  readonly topic: string;
  readonly partition: number;
  readonly key: string;
  readonly value: string | Buffer;
  readonly headers: Headers | null;
}

export interface KafkaSender {
  /** Resolves when all in-sync replicas have the records, else BUS_UNAVAILABLE within the time limit. */
  send(records: readonly KafkaRecord[]): Promise<void>;
  close(): Promise<void>;
}

interface Waiting {
  readonly records: readonly KafkaRecord[];
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

const recordsPerSendMax = 2_000;
const recordsWaitingMax = 50_000;
const closeTimeoutMs = 1_000;

/**
 * An idempotent producer with one request under way at a time; what arrives meanwhile becomes the next request. That
 * gives large batches under load without any delay at rest, and keeps sequence numbers in order by construction.
 * After a failure the producer is thrown away: the next send starts with a new one and a new sequence.
 */
export function createKafkaSender(options: KafkaBusOptions & { timeoutMs: number }): KafkaSender {
  const { timeoutMs } = options;
  let producer: Producer | null = null;
  let waiting: Waiting[] = [];
  let recordsWaiting = 0;
  let sending = false;

  function away(cause?: unknown): Error {
    return platformErrors.fault('BUS_UNAVAILABLE', { cause });
  }

  function discard(): void {
    producer?.close(true).catch(() => undefined);
    producer = null;
  }

  function take(): Waiting[] {
    let count = 0;
    let end = 0;
    for (const entry of waiting) {
      if (end > 0 && count + entry.records.length > recordsPerSendMax) break;
      count += entry.records.length;
      end += 1;
    }
    const taken = waiting.slice(0, end);
    waiting = waiting.slice(end);
    recordsWaiting -= count;
    return taken;
  }

  async function drain(): Promise<void> {
    sending = true;
    while (waiting.length > 0) {
      const batch = take();
      try {
        producer ??= new Producer({ ...connectionOptions(options), idempotent: true, acks: ProduceAcks.ALL });
        const sent = producer.send({ messages: batch.flatMap((entry) => entry.records.map(toMessage)) });
        await withTimeout(sent, timeoutMs, away);
        for (const entry of batch) entry.resolve();
      } catch (error) {
        discard();
        for (const entry of batch) entry.reject(away(error));
      }
    }
    sending = false;
  }

  return {
    async send(records) {
      if (records.length === 0) return;
      if (recordsWaiting + records.length > recordsWaitingMax) throw away();
      recordsWaiting += records.length;
      const acknowledged = new Promise<void>((resolve, reject) => waiting.push({ records, resolve, reject }));
      if (!sending) void drain();
      await withTimeout(acknowledged, timeoutMs, away);
    },
    async close() {
      const closing = producer?.close(true);
      producer = null;
      if (closing !== undefined) await withTimeout(closing, closeTimeoutMs, away).catch(() => undefined);
    },
  };
}

function toMessage({ topic, partition, key, value, headers }: KafkaRecord) {
  return {
    topic,
    partition,
    key: Buffer.from(key),
    value: typeof value === 'string' ? Buffer.from(value) : value,
    ...(headers !== null && {
      headers: new Map(Object.entries(headers).map(([name, text]) => [Buffer.from(name), Buffer.from(text)])),
    }),
  };
}
