import type { Clock } from '../clock.ts';
import type { Database, Transaction } from '../postgres/database.ts';
import type { Logger } from '../telemetry/logger.ts';
import { describeThrown } from '../telemetry/thrown.ts';
import { createDeadLetter, type DeadLetter, replayForHeader } from './dead-letter.ts';
import { callHandler, HandlerFailure, handlerTimeoutDefaultMs } from './handler-call.ts';
import { claimInInbox } from './inbox.ts';
import type { LetterBox } from './letters.ts';
import type { Message, Messages } from './message.ts';
import type { BusObserver, ConsumerName, Failpoint } from './options.ts';
import { type EngineFault, engineFaultOf } from './outage.ts';
import type { Consumer, ConsumerContext, ConsumerDeclaration, Envelope } from './port.ts';
import { backoffMs, sleep } from './waiting.ts';

/** How an adapter ties its own books to the effect. */
export interface Delivery {
  /** `commit: 'auto'`: these were received; whatever happens to them, they do not come again. */
  received(messages: readonly Message[]): Promise<void>;
  /** `commit: 'manual'`: inside the transaction of the effect. Throws LostPartition when another consumer has taken over. */
  advance(tx: Transaction, messages: readonly Message[]): Promise<void>;
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
  /** Messages of one partition in order. Resolves when each had its effect, was found to be a repeat, or is a letter. */
  process(messages: readonly Message[]): Promise<void>;
}

export interface ProcessorOptions {
  readonly consumer: Consumer;
  readonly delivery: Delivery;
  /** Where messages wait that could not be handled. `null`: they are skipped. */
  readonly letters: LetterBox | null;
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

/** How one try ended. */
type Outcome =
  | { readonly status: 'done' }
  /** Not the message's fault: it is tried again and no retry is counted. */
  | { readonly status: 'engine'; readonly fault: EngineFault; readonly error: unknown }
  | { readonly status: 'failed'; readonly error: unknown };

interface Prepared {
  /** How many events there were, repeats included. */
  readonly events: number;
  /** Those that have had no effect yet. */
  readonly fresh: readonly Envelope[];
  readonly failed: readonly DeadLetter[];
}

const outageBackoff = { baseMs: 100, maxMs: 5_000 };
const conflictBackoff = { baseMs: 20, maxMs: 1_000 };
const retryBackoffMaxMs = 30_000;
/** How many broken or silent connections and conflicts under one handler are put down to the database. Each time it had just answered. */
const excusedMax = 5;
const batchSizeDefault = 500;
const sharedSizeDefault = 100;
/** A transaction that several single events share should be about so short: its rows are locked as long. */
const sharedMs = { short: 250, long: 1_000 };
/** Beyond the handler's time, which must run out first; but a frozen process must not keep the rows it has locked for long. */
const idleMarginMs = 5_000;

/**
 * The one way in which messages become effects, whichever broker they came from:
 *
 *   decode ─▶ [ transaction: advance · letters · inbox │ handler │ COMMIT ] ─▶ done
 *                 │ an engine is away, or another consumer is at the same message: wait, for as long as it takes
 *                 │ several messages and a handler failed: one by one, at once
 *                 │ a message whose handler failed: try again `retry.times` with growing pauses
 *                 └ still failing: it becomes a letter, and with `park-key` so do the later ones of its key
 *
 * Only the handler can make it the message's fault: what fails before it is called never is.
 */
export function createProcessor(options: ProcessorOptions): Processor {
  const { consumer, delivery, letters, database, messages, clock, logger, observe, failpoint, signal } = options;
  const { declaration } = consumer;
  const name: ConsumerName = { topic: declaration.topic.name, group: declaration.group };
  const handlerTimeoutMs = declaration.handlerTimeoutMs ?? handlerTimeoutDefaultMs;
  const chunkMax = chunkSizeMax(declaration);
  /** How many events the next transaction has. Single events share one as long as that is quick and works. */
  let chunkSize = declaration.mode === 'single' ? 1 : chunkMax;

  const parksKeys = declaration.onPoison === 'park-key';

  function decode(message: Message): Entry {
    const replayFor = message.headers[replayForHeader];
    if (replayFor !== undefined && replayFor !== declaration.group) return { kind: 'skip', message };
    const decoded = messages.decode(message);
    if (decoded.ok) return { kind: 'event', message, event: decoded.event };
    return { kind: 'poison', message, error: new Error(decoded.reason), attempts: 0 };
  }

  async function attempt(entries: readonly Entry[], tried: number): Promise<Outcome> {
    const started = performance.now();
    let prepared: Prepared = { events: 0, fresh: [], failed: [] };
    let lost: unknown;
    try {
      await database.transaction(
        async (tx) => {
          prepared = await prepare(tx, entries);
          const { fresh } = prepared;
          if (fresh.length === 0) return;
          await handle(fresh, { tx, partition: entries[0]?.message.partition ?? 0, attempt: tried });
          await failpoint('effect-done');
        },
        { retry: false, idleTimeoutMs: handlerTimeoutMs + idleMarginMs, onConnectionLost: (error) => (lost = error) },
      );
      await failpoint('effect-committed');
    } catch (error) {
      return outcomeOf(error, { wasHandled: prepared.fresh.length > 0, lost });
    }
    const seconds = (performance.now() - started) / 1_000;
    const { events, fresh, failed } = prepared;
    const count = fresh.length;
    if (events > 0) observe.consumed?.(name, { count, duplicates: events - count, seconds });
    if (failed.length > 0) reportLetters(failed);
    return { status: 'done' };
  }

  /** All of it in the handler's time: events that share a transaction share that too. */
  async function handle(fresh: readonly Envelope[], context: Omit<ConsumerContext, 'signal'>): Promise<void> {
    const until = performance.now() + handlerTimeoutMs;
    const calls = declaration.mode === 'single' ? fresh.map((event) => [event]) : [fresh];
    for (const events of calls) await callHandler(consumer, events, context, until);
  }

  /** What comes before the handler. */
  async function prepare(tx: Transaction, entries: readonly Entry[]): Promise<Prepared> {
    const manual = declaration.commit === 'manual';
    if (manual) await delivery.advance(tx, messagesOf(entries));
    const parked = (await letters?.parkedAmong(tx, messagesOf(entries))) ?? new Set();
    const free = entries.filter(({ message }) => !parked.has(message));
    const events = free.flatMap((entry) => (entry.kind === 'event' ? [entry.event] : []));
    const failed = free.flatMap((entry) =>
      entry.kind === 'poison' ? [createDeadLetter({ ...entry, group: declaration.group, clock })] : [],
    );
    if (failed.length > 0) await letters?.write(tx, failed);
    if (parked.size > 0) await letters?.writeBehind(tx, [...parked]);
    const gone = free.filter(({ kind }) => kind !== 'poison');
    if (gone.length > 0) await letters?.resolve(tx, messagesOf(gone));
    return { events: events.length, failed, fresh: manual ? await claimInInbox(tx, name, events) : events };
  }

  function reportLetters(failed: readonly DeadLetter[]): void {
    observe.deadLettered?.(name, failed.length);
    for (const { message, reason } of failed) {
      const { topic, partition, offset } = message;
      const fate = letters === null ? 'was skipped' : 'waits in the letters';
      logger.error({ topic, partition, offset, group: declaration.group, reason }, `a message ${fate}`);
    }
  }

  async function pause(ms: number): Promise<void> {
    await sleep(ms, signal);
    if (signal.aborted) throw new ProcessorStopped();
  }

  async function settle(entries: readonly Entry[]): Promise<void> {
    let current = entries;
    let outages = 0;
    let excused = 0;
    let failures = 0;
    for (;;) {
      const started = performance.now();
      const outcome = await attempt(current, failures + 1);
      adapt({ count: current.length, ms: performance.now() - started, hasFailed: outcome.status !== 'done' });
      if (outcome.status === 'done') return;
      if (signal.aborted) throw new ProcessorStopped();
      const { error } = outcome;
      if (outcome.status === 'engine' && outcome.fault === 'away') {
        outages += 1;
        observe.failed?.(name, 'outage');
        if (outages === 1) logger.warn({ ...describeThrown(error), ...name }, 'consuming waits for an engine');
        await pause(backoffMs(outages, outageBackoff));
        continue;
      }
      if (outcome.status === 'engine' && excused < excusedMax) {
        excused += 1;
        observe.failed?.(name, 'outage');
        await pause(backoffMs(excused, outcome.fault === 'conflict' ? conflictBackoff : outageBackoff));
        continue;
      }
      failures += 1;
      observe.failed?.(name, 'error');
      logger.warn({ ...describeThrown(error), ...name, attempt: failures }, 'a consumer failed');
      const [only, ...others] = current;
      if (others.length > 0) {
        // One of them is the culprit: each gets its own transaction, and the innocent go through.
        for (const entry of current) await settle([entry]);
        return;
      }
      if (failures <= declaration.retry.times) {
        await pause(backoffMs(failures, { baseMs: declaration.retry.backoffMs, maxMs: retryBackoffMaxMs }));
        continue;
      }
      if (only !== undefined) current = [{ kind: 'poison', message: only.message, error, attempts: failures }];
    }
  }

  /** Says how many are to share the next transaction, after these did. */
  function adapt(shared: { count: number; ms: number; hasFailed: boolean }): void {
    if (declaration.mode !== 'single') return;
    if (shared.hasFailed) chunkSize = 1;
    else if (shared.ms > sharedMs.long) chunkSize = Math.max(1, Math.trunc(shared.count / 2));
    else if (shared.ms < sharedMs.short && shared.count === chunkSize) chunkSize = Math.min(chunkMax, chunkSize * 2);
  }

  return {
    async process(received) {
      for (let start = 0; start < received.length; ) {
        if (signal.aborted) throw new ProcessorStopped();
        const chunk = received.slice(start, start + chunkSize);
        if (declaration.commit === 'auto') await delivery.received(chunk);
        const entries = chunk.map(decode);
        // A message before the poison must not land behind it.
        const inTurn = parksKeys && entries.some(({ kind }) => kind === 'poison');
        for (const part of inTurn ? entries.map((entry) => [entry]) : [entries]) await settle(part);
        start += chunk.length;
      }
    },
  };
}

/** How many messages one transaction has at most. */
export function chunkSizeMax({ mode, batchSizeMax }: ConsumerDeclaration): number {
  return batchSizeMax ?? (mode === 'single' ? sharedSizeDefault : batchSizeDefault);
}

/** Whose fault it is. Throws what ends the work on the partition. */
function outcomeOf(error: unknown, work: { wasHandled: boolean; lost: unknown }): Outcome {
  // Before the handler, and where there was none to call, only an engine can have failed or another consumer was in the way.
  if (!work.wasHandled) {
    if (error instanceof LostPartition) throw error;
    return { status: 'engine', fault: 'away', error };
  }
  const thrown = error instanceof HandlerFailure ? error.cause : error;
  // A handler may make anything of a connection that broke under it.
  const fault = engineFaultOf(thrown) ?? engineFaultOf(work.lost);
  return fault === null ? { status: 'failed', error: thrown } : { status: 'engine', fault, error: thrown };
}

function messagesOf(entries: readonly Entry[]): Message[] {
  return entries.map(({ message }) => message);
}
