import { ProduceAcks, Producer } from '@platformatic/kafka';
import { withTimeout } from '#platform/resilience/timeout.ts';
import type { Headers } from '../message.ts';
import { laneKey, type OutboxRow } from '../outbox.ts';
import { connectionOptions, type KafkaBusOptions } from './kafka-options.ts';
import { attribute, type Failure, partitionProblem, silence } from './kafka-verdicts.ts';

export interface KafkaRecord {
  readonly topic: string;
  readonly partition: number;
  readonly key: string;
  readonly value: string | Buffer;
  readonly headers: Headers | null;
}

/** What became of the records of one topic's one partition: the first `sent` of them are in Kafka for certain. */
export interface Verdict {
  readonly sent: number;
  /** Why the rest is not; null when all are. */
  readonly failure: Failure | null;
}

export interface KafkaProducer {
  /** Never throws. A verdict for each lane of the records, by `laneKey`, within the time limit. */
  produce(records: readonly KafkaRecord[]): Promise<ReadonlyMap<string, Verdict>>;
  close(): Promise<void>;
}

/**
 * The records of one partition in one request become one batch, and the broker's limit (1,048,588 bytes by default) is on
 * batches. Without this cut a backlog of ordinary events would be refused as too large at every try, for ever.
 */
const batchBytesMax = 950_000;
const recordOverheadBytes = 64;
const closeTimeoutMs = 1_000;

/**
 * An idempotent producer that says for each partition what became of its records, so that one which fails takes no other
 * with it. One request at a time. After a failure the client is thrown away, because a partition that failed has a gap in
 * its sequence; the next request starts with a new client and a new sequence.
 */
export function createKafkaProducer(
  options: Pick<KafkaBusOptions, 'brokers' | 'clientId'> & { timeoutMs: number },
): KafkaProducer {
  const { timeoutMs } = options;
  let client: Producer | null = null;
  let closed = false;

  function open(): Producer {
    // `false`, not 0: with a number up to 1 the library makes an idempotent producer try for ever, and it would send
    // all partitions of a request again because of one.
    client ??= new Producer({
      ...connectionOptions(options),
      retries: false,
      idempotent: true,
      acks: ProduceAcks.ALL,
    });
    return client;
  }

  function discard(): void {
    client?.close(true).catch(() => undefined);
    client = null;
  }

  return {
    async produce(records) {
      const tally = createTally(records);
      try {
        if (closed) throw new Error('the producer is closed');
        await withTimeout(sendAll(open(), records, tally), timeoutMs, () => new Error('Kafka did not answer in time'));
      } catch (error) {
        discard();
        tally.failRest(silence(tally.isBegun() ? 'unanswered' : 'unreached', error));
      }
      if (tally.hasGap()) discard();
      return tally.verdicts();
    },
    async close() {
      closed = true;
      const closing = client?.close(true);
      client = null;
      if (closing !== undefined)
        await withTimeout(closing, closeTimeoutMs, () => new Error('too late')).catch(() => undefined);
    },
  };
}

export function toRecord(row: OutboxRow): KafkaRecord {
  return { ...row, value: row.raw ?? row.value };
}

type Tally = ReturnType<typeof createTally>;

/** What is known of each lane of one call. What comes in after the call has ended changes nothing. */
function createTally(records: readonly KafkaRecord[]) {
  const lanes = new Map<string, { total: number; sent: number; failure: Failure | null; gap: boolean }>();
  for (const record of records) {
    const key = laneKey(record);
    const lane = lanes.get(key) ?? { total: 0, sent: 0, failure: null, gap: false };
    lane.total += 1;
    lanes.set(key, lane);
  }
  let begun = false;
  const isOpen = (key: string) => lanes.get(key)?.failure === null;
  function fail(key: string, failure: Failure, gap: boolean): void {
    const lane = lanes.get(key);
    if (lane === undefined || lane.failure !== null) return;
    lane.failure = failure;
    lane.gap = gap;
  }
  return {
    isOpen,
    isBegun: () => begun,
    /** From here on, records may be in Kafka. */
    begin(): void {
      begun = true;
    },
    sent(key: string, count: number): void {
      const lane = lanes.get(key);
      if (lane !== undefined) lane.sent += count;
    },
    /** The client has counted these records in its sequence, but they are not there. */
    failSent: (key: string, failure: Failure) => fail(key, failure, true),
    /** Nothing of it was given to the client. */
    failUnsent: (key: string, failure: Failure) => fail(key, failure, false),
    failRest(failure: Failure): void {
      for (const [key, lane] of lanes) if (lane.sent < lane.total) fail(key, failure, true);
    },
    hasGap: () => [...lanes.values()].some((lane) => lane.gap),
    verdicts: () => new Map([...lanes].map(([key, { sent, failure }]): [string, Verdict] => [key, { sent, failure }])),
  };
}

/** One request after the other: what follows must not overtake what came before. */
async function sendAll(client: Producer, records: readonly KafkaRecord[], tally: Tally): Promise<void> {
  for (const [topic, partitions] of partitionsByTopic(records)) {
    const problems = await partitionProblem(client, topic, partitions);
    for (const [partition, failure] of problems) tally.failUnsent(laneKey({ topic, partition }), failure);
  }
  if (client.producerId === undefined) await client.initIdempotentProducer({});
  for (const part of cutToBatches(records)) {
    const going = part.filter((record) => tally.isOpen(laneKey(record)));
    if (going.length > 0) await sendPart(client, going, tally);
  }
}

async function sendPart(client: Producer, records: readonly KafkaRecord[], tally: Tally): Promise<void> {
  const counts = new Map<string, number>();
  for (const record of records) counts.set(laneKey(record), (counts.get(laneKey(record)) ?? 0) + 1);
  tally.begin();
  // Not repeated by the library: it would ask for all topics anew, fail because one is gone, and drop the first answer.
  const answer = await client.send({ messages: records.map(toMessage), repeatOnStaleMetadata: false }).then(
    (result) => attribute(result),
    (error: unknown) => attribute(error),
  );
  for (const [key, count] of counts) {
    const failure = answer(key);
    if (failure === null) tally.sent(key, count);
    else tally.failSent(key, failure);
  }
}

function partitionsByTopic(records: readonly KafkaRecord[]): Map<string, Set<number>> {
  const topics = new Map<string, Set<number>>();
  for (const { topic, partition } of records)
    topics.set(topic, (topics.get(topic) ?? new Set<number>()).add(partition));
  return topics;
}

/** Runs of records of which no partition's share is more than one batch may hold. */
function cutToBatches(records: readonly KafkaRecord[]): KafkaRecord[][] {
  const parts: KafkaRecord[][] = [];
  let part: KafkaRecord[] = [];
  let bytesByLane = new Map<string, number>();
  for (const record of records) {
    const key = laneKey(record);
    const bytes = sizeOf(record);
    if (part.length > 0 && (bytesByLane.get(key) ?? 0) + bytes > batchBytesMax) {
      parts.push(part);
      part = [];
      bytesByLane = new Map();
    }
    part.push(record);
    bytesByLane.set(key, (bytesByLane.get(key) ?? 0) + bytes);
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
