import type { Clock } from '../clock.ts';
import type { Database, Transaction } from '../postgres/database.ts';
import type { Logger } from '../telemetry/logger.ts';
import { createDeadLetter, type DeadLetter, replayForHeader } from './dead-letter.ts';
import { claimInInbox } from './inbox.ts';
import type { Message, Messages } from './message.ts';
import type { BusObserver, ConsumerName, Failpoint } from './options.ts';
import { isOutage } from './outage.ts';
import type { Consumer, Envelope } from './port.ts';
import { backoffMs, sleep } from './waiting.ts';

/** How an adapter ties its own books to the effect. */
export interface Delivery {
  /** `commit: 'auto'`: these were received; whatever happens to them, they do not come again. */
  received(messages: readonly Message[]): Promise<void>;
  /** `commit: 'manual'`: inside the transaction of the effect. Throws LostPartition when another consumer has taken over. */
  advance(tx: Transaction, messages: readonly Message[]): Promise<void>;
  /** Inside a transaction: either it is written with it, or the broker has it before it commits. */
  deadLetter(tx: Transaction, topic: string, letters: readonly DeadLetter[]): Promise<void>;
}

/** Another consumer of the group has moved on from where this one stands. Nothing was changed. */
export class LostPartition extends Error {
  override readonly name = 'LostPartition';
}

/** The consumer was told to stop while a message was waiting to be tried again. It will be delivered again. */
export class ProcessorStopped extends Error {
  override readonly name = 'ProcessorStopped';
}

export interface Processor {
  /** Messages of one partition in order. Resolves when each had its effect, was found to be a repeat, or is a dead letter. */
  process(messages: readonly Message[]): Promise<void>;
}

export interface ProcessorOptions {
  readonly consumer: Consumer;
  readonly delivery: Delivery;
  readonly database: Database;
  readonly messages: Messages;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly observe: BusObserver;
  readonly failpoint: (point: Failpoint) => Promise<void>;
  readonly signal: AbortSignal;
}

type Entry =
  | { readonly kind: 'event'; readonly message: Message; readonly event: Envelope }
  | { readonly kind: 'poison'; readonly message: Message; readonly error: unknown; readonly attempts: number }
  /** A replay for another group. */
  | { readonly kind: 'skip'; readonly message: Message };

const outageBackoff = { baseMs: 100, maxMs: 5_000 };
const retryBackoffMaxMs = 30_000;
export const batchSizeDefault = 500;
const handlerTimeoutDefaultMs = 20_000;
/** Beyond the handler's time: a process that is frozen must not keep the rows it has locked for the pool's long limit. */
const idleMarginMs = 5_000;

/**
 * The one way in which messages become effects, whichever broker they came from:
 *
 *   decode ─▶ [ transaction: advance · dead letters · inbox · handler ] ─▶ done
 *                 │ engine away: wait, try again, for as long as it takes
 *                 │ failed: try again `retry.times` with growing pauses
 *                 └ still failing: a batch is taken apart; a single message becomes a dead letter
 */
export function createProcessor(options: ProcessorOptions): Processor {
  const { consumer, delivery, database, messages, clock, logger, observe, failpoint, signal } = options;
  const { declaration } = consumer;
  const name: ConsumerName = { topic: declaration.topic.name, group: declaration.group };
  const chunkMax = declaration.mode === 'single' ? 1 : (declaration.batchSizeMax ?? batchSizeDefault);

  function decode(message: Message): Entry {
    const replayFor = message.headers[replayForHeader];
    if (replayFor !== undefined && replayFor !== declaration.group) return { kind: 'skip', message };
    const decoded = messages.decode(message);
    if (decoded.ok) return { kind: 'event', message, event: decoded.event };
    return { kind: 'poison', message, error: new Error(decoded.reason), attempts: 0 };
  }

  async function attempt(entries: readonly Entry[], tried: number): Promise<void> {
    const started = performance.now();
    const events = entries.flatMap((entry) => (entry.kind === 'event' ? [entry.event] : []));
    const letters = entries.flatMap((entry) =>
      entry.kind === 'poison' ? [createDeadLetter({ ...entry, group: declaration.group, clock })] : [],
    );
    const manual = declaration.commit === 'manual';
    let handled = 0;
    await database.transaction(
      async (tx) => {
        if (manual)
          await delivery.advance(
            tx,
            entries.map(({ message }) => message),
          );
        if (letters.length > 0 && declaration.deadLetter !== null)
          await delivery.deadLetter(tx, declaration.deadLetter, letters);
        const fresh = manual ? await claimInInbox(tx, name, events) : events;
        handled = fresh.length;
        if (handled === 0) return;
        const partition = entries[0]?.message.partition ?? 0;
        await consumer.handle(fresh, { tx, partition, attempt: tried, signal });
        await failpoint('effect-done');
      },
      { idleTimeoutMs: (declaration.handlerTimeoutMs ?? handlerTimeoutDefaultMs) + idleMarginMs },
    );
    await failpoint('effect-committed');
    const seconds = (performance.now() - started) / 1_000;
    if (events.length > 0) observe.consumed?.(name, { count: handled, duplicates: events.length - handled, seconds });
    if (letters.length > 0) reportDeadLetters(letters);
  }

  function reportDeadLetters(letters: readonly DeadLetter[]): void {
    observe.deadLettered?.(name, letters.length);
    for (const { message, headers } of letters) {
      const { topic, partition, offset } = message;
      const fate = declaration.deadLetter === null ? 'was skipped' : `went to ${declaration.deadLetter}`;
      logger.error(
        { topic, partition, offset, group: declaration.group, reason: headers['urr-reason'] },
        `a message ${fate}`,
      );
    }
  }

  async function pause(ms: number): Promise<void> {
    await sleep(ms, signal);
    if (signal.aborted) throw new ProcessorStopped();
  }

  async function settle(entries: readonly Entry[]): Promise<void> {
    let current = entries;
    let outages = 0;
    let failures = 0;
    for (;;) {
      try {
        await attempt(current, failures + 1);
        return;
      } catch (error) {
        if (error instanceof LostPartition) throw error;
        if (signal.aborted) throw new ProcessorStopped();
        const poisoned = current.every((entry) => entry.kind !== 'event');
        if (poisoned || isOutage(error)) {
          // What is no event has no handler that could be at fault: only an engine can have failed.
          outages += 1;
          observe.failed?.(name, 'outage');
          if (outages === 1) logger.warn({ err: error, ...name }, 'consuming waits for an engine that is away');
          await pause(backoffMs(outages, outageBackoff));
          continue;
        }
        failures += 1;
        observe.failed?.(name, 'error');
        logger.warn({ err: error, ...name, attempt: failures }, 'a consumer failed');
        if (failures <= declaration.retry.times) {
          await pause(backoffMs(failures, { baseMs: declaration.retry.backoffMs, maxMs: retryBackoffMaxMs }));
          continue;
        }
        const [only, ...others] = current;
        if (others.length > 0) {
          // One of them is the culprit: each gets its own transaction, and the innocent go through.
          for (const entry of current) await settle([entry]);
          return;
        }
        if (only !== undefined) current = [{ kind: 'poison', message: only.message, error, attempts: failures }];
      }
    }
  }

  return {
    async process(received) {
      for (let start = 0; start < received.length; start += chunkMax) {
        if (signal.aborted) throw new ProcessorStopped();
        const chunk = received.slice(start, start + chunkMax);
        if (declaration.commit === 'auto') await delivery.received(chunk);
        await settle(chunk.map(decode));
      }
    },
  };
}
