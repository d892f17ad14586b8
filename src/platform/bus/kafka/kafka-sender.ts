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
/**
 * The records of one partition in one request become one batch, and the broker's limit (1,048,588 bytes by default) is on
 * batches. Without this cut a backlog of ordinary events would be refused as too large at every try, for ever.
 */
const batchBytesMax = 950_000;
const recordOverheadBytes = 64;
const closeTimeoutMs = 1_000;

/**
 * An idempotent producer with one request under way at a time; what arrives meanwhile becomes the next request. That
 * gives large batches under load without any delay at rest, and keeps sequence numbers in order by construction.
 * After a failure the producer is thrown away: the next send starts with a new one and a new sequence.
 */
export function createKafkaSender(
  options: Pick<KafkaBusOptions, 'brokers' | 'clientId'> & { timeoutMs: number },
): KafkaSender {
  const { timeoutMs } = options;
  let producer: Producer | null = null;
  let closed = false;
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
        // A producer made after `close` would stay open, and the process with it.
        if (closed) throw away();
        producer ??= new Producer({ ...connectionOptions(options), idempotent: true, acks: ProduceAcks.ALL });
        const records = batch.flatMap((entry) => entry.records);
        await withTimeout(sendInTurn(producer, records), timeoutMs, away);
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
      if (closed || recordsWaiting + records.length > recordsWaitingMax) throw away();
      recordsWaiting += records.length;
      const acknowledged = new Promise<void>((resolve, reject) => waiting.push({ records, resolve, reject }));
      if (!sending) void drain();
      await withTimeout(acknowledged, timeoutMs, away);
    },
    async close() {
      closed = true;
      const closing = producer?.close(true);
      producer = null;
      if (closing !== undefined) await withTimeout(closing, closeTimeoutMs, away).catch(() => undefined);
    },
  };
}

/** One request after the other: what follows must not overtake what came before. */
async function sendInTurn(producer: Producer, records: readonly KafkaRecord[]): Promise<void> {
  for (const part of cutToBatches(records)) await producer.send({ messages: part.map(toMessage) });
}

/** Runs of records of which no partition's share is more than one batch may hold. */
function cutToBatches(records: readonly KafkaRecord[]): KafkaRecord[][] {
  const parts: KafkaRecord[][] = [];
  let part: KafkaRecord[] = [];
  let bytesByPartition = new Map<string, number>();
  for (const record of records) {
    const place = `${record.topic} ${record.partition}`;
    const bytes = sizeOf(record);
    if (part.length > 0 && (bytesByPartition.get(place) ?? 0) + bytes > batchBytesMax) {
      parts.push(part);
      part = [];
      bytesByPartition = new Map();
    }
    part.push(record);
    bytesByPartition.set(place, (bytesByPartition.get(place) ?? 0) + bytes);
  }
  if (part.length > 0) parts.push(part);
  return parts;
}

function sizeOf({ key, value, headers }: KafkaRecord): number {
  let bytes = recordOverheadBytes + Buffer.byteLength(key) + Buffer.byteLength(value);
  for (const [name, text] of Object.entries(headers ?? {})) bytes += Buffer.byteLength(name) + Buffer.byteLength(text);
  return bytes;
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
