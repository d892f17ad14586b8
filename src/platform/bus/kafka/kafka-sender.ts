import { platformErrors } from '#platform/errors.ts';
import { withTimeout } from '#platform/resilience/timeout.ts';
import { laneKey } from '../outbox.ts';
import type { KafkaBusOptions } from './kafka-options.ts';
import { createKafkaProducer, type KafkaProducer, type KafkaRecord } from './kafka-producer.ts';
import type { Failure } from './kafka-verdicts.ts';

export interface KafkaSender {
  /** Resolves when all in-sync replicas have the records, else BUS_UNAVAILABLE within the time limit. */
  send(records: readonly KafkaRecord[]): Promise<void>;
  close(): Promise<void>;
}

interface Entry {
  readonly records: readonly KafkaRecord[];
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
  readonly deadline: number;
}

const recordsPerSendMax = 2_000;
const recordsWaitingMax = 50_000;
/** A topic that was made a moment ago, or a partition that gets a new leader, is well soon. */
const againAfterMs = 100;

/**
 * For callers that wait for the broker. One request is under way at a time, and what arrives meanwhile becomes the next:
 * large batches under load without any delay at rest. Calls that share a request do not share its failure: each is told
 * what became of its own records, and a call in whose partition something was refused is sent again alone.
 */
export function createKafkaSender(
  options: Pick<KafkaBusOptions, 'brokers' | 'clientId'> & { timeoutMs: number },
  producer: KafkaProducer = createKafkaProducer(options),
): KafkaSender {
  const { timeoutMs } = options;
  let closed = false;
  let waiting: Entry[] = [];
  let recordsWaiting = 0;
  let sending = false;

  function away(cause?: unknown): Error {
    return platformErrors.fault('BUS_UNAVAILABLE', { cause });
  }

  /** Their callers were told that they failed, and may have tried again since: sent now they would come after newer ones. */
  function dropLate(): void {
    waiting = waiting.filter((entry) => {
      if (!isLate(entry)) return true;
      recordsWaiting -= entry.records.length;
      entry.reject(away());
      return false;
    });
  }

  function take(): Entry[] {
    dropLate();
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

  function enqueue(entry: Entry): void {
    recordsWaiting += entry.records.length;
    waiting.push(entry);
    if (!sending) void drain();
  }

  function again(entry: Entry, failure: Failure): void {
    const late = performance.now() + againAfterMs > entry.deadline;
    if (closed || late || failure.kind === 'refused') entry.reject(away(failure.cause ?? new Error(failure.reason)));
    else setTimeout(() => enqueue(entry), againAfterMs).unref();
  }

  async function sendBatch(batch: readonly Entry[]): Promise<void> {
    const failures = await sendEntries(batch.map((entry) => entry.records));
    for (const [index, entry] of batch.entries()) {
      const failure = failures[index] ?? null;
      if (failure === null) entry.resolve();
      // A partition's records are refused together. Alone it shows whose fault it is.
      else if (failure.kind === 'refused' && batch.length > 1 && !isLate(entry)) await sendBatch([entry]);
      // What had no answer may be there; to send it again is the caller's decision.
      else if (failure.kind === 'unanswered') entry.reject(away(failure.cause));
      else again(entry, failure);
    }
  }

  async function sendEntries(entries: readonly (readonly KafkaRecord[])[]): Promise<(Failure | null)[]> {
    const verdicts = await producer.produce(entries.flat());
    const seen = new Map<string, number>();
    return entries.map((records) => {
      let failure: Failure | null = null;
      for (const record of records) {
        const key = laneKey(record);
        const place = seen.get(key) ?? 0;
        seen.set(key, place + 1);
        const verdict = verdicts.get(key);
        if (verdict !== undefined && place >= verdict.sent) failure ??= verdict.failure;
      }
      return failure;
    });
  }

  async function drain(): Promise<void> {
    sending = true;
    while (waiting.length > 0) {
      const batch = take();
      if (batch.length > 0) await sendBatch(batch);
    }
    sending = false;
  }

  return {
    async send(records) {
      if (records.length === 0) return;
      if (closed || recordsWaiting + records.length > recordsWaitingMax) throw away();
      const deadline = performance.now() + timeoutMs;
      const acknowledged = new Promise<void>((resolve, reject) => enqueue({ records, resolve, reject, deadline }));
      await withTimeout(acknowledged, timeoutMs, away);
    },
    async close() {
      closed = true;
      await producer.close();
    },
  };
}

function isLate({ deadline }: Entry): boolean {
  return performance.now() >= deadline;
}
