import type { Static, TSchema } from 'typebox';
import type { Transaction } from '../postgres/database.ts';

/** How an event travels. `id` is what a consumer deduplicates by; `key` is what order is kept by. */
export interface Envelope<Type extends string = string, Data = unknown> {
  readonly id: string;
  readonly type: Type;
  readonly version: number;
  readonly occurredAt: string;
  readonly key: string;
  readonly sagaId?: string;
  readonly data: Data;
}

export interface EventTypeDefinition {
  readonly version: number;
  readonly summary: string;
  readonly data: TSchema;
}

/** A topic and the types on it live beside the module that publishes them. */
export interface TopicDefinition<
  Types extends Record<string, EventTypeDefinition> = Record<string, EventTypeDefinition>,
> {
  readonly name: string;
  /** What the key is, in words: `eventId`. */
  readonly key: string;
  readonly partitions: number;
  /** `forever` for business facts, else how long a message is kept. */
  readonly retention: 'forever' | { readonly hours: number };
  readonly types: Types;
}

export function defineTopic<const Types extends Record<string, EventTypeDefinition>>(
  topic: Omit<TopicDefinition<Types>, 'partitions'> & { partitions?: number },
): TopicDefinition<Types> {
  return { partitions: 3, ...topic };
}

export type EventTypesOf<Topic extends TopicDefinition> = keyof Topic['types'] & string;
export type DataOf<Topic extends TopicDefinition, Type extends EventTypesOf<Topic>> = Static<
  Topic['types'][Type]['data']
>;

/** An envelope of any type of the topic, as a union that `switch (event.type)` narrows. */
export type EventOf<Topic extends TopicDefinition> = {
  [Type in EventTypesOf<Topic>]: Envelope<Type, DataOf<Topic, Type>>;
}[EventTypesOf<Topic>];

export type NewEvent<Topic extends TopicDefinition> = {
  [Type in EventTypesOf<Topic>]: { type: Type; key: string; data: DataOf<Topic, Type>; sagaId?: string };
}[EventTypesOf<Topic>];

/** All one needs to read to know how a consumer works. */
export interface ConsumerDeclaration<Topic extends TopicDefinition = TopicDefinition> {
  readonly topic: Topic;
  readonly group: string;
  /**
   * `batch`: the handler gets up to `batchSizeMax` events of one partition (default 500) and works on them as a set, in one
   * transaction. `single`: it gets one event at a time; up to `batchSizeMax` of them (default 100) share a transaction, 1 keeps
   * them apart. When a handler fails, each event is tried again in a transaction of its own, those before it too.
   */
  readonly mode: 'single' | 'batch';
  /**
   * `manual`: the offset is committed after the effect; with the inbox this is exactly one effect per group.
   * `auto`: the offset is committed on receipt and there is no inbox; a crash may lose what was in hand. For counts that may be a little off.
   */
  readonly commit: 'auto' | 'manual';
  readonly retry: { readonly times: number; readonly backoffMs: number };
  /** Where a message goes that still fails after the retries. `null`: it is logged, counted and skipped. */
  readonly deadLetter: string | null;
  /**
   * What becomes of the later messages of a key whose message is a letter. `pass` (the default): they are handled, so order
   * may break and the handler must commute. `park-key`: they wait in the letters too and are handled after it, in order.
   */
  readonly onPoison?: 'pass' | 'park-key';
  /** Minutes after which a letter is tried again by itself, one after the other; then it waits for a person. Default: 1, 5, 30. */
  readonly retryAfterMin?: readonly number[];
  /** How long the handler may take, for all events of a transaction, before it counts as failed. Default: 20,000. */
  readonly handlerTimeoutMs?: number;
  readonly batchSizeMax?: number;
}

/**
 * The effect. Runs inside the transaction that also records the events in the inbox, so it happens once per group.
 * Effects outside PostgreSQL must be conditional on the event's id.
 */
export interface Consumer<Topic extends TopicDefinition = TopicDefinition> {
  readonly declaration: ConsumerDeclaration<Topic>;
  readonly handle: (events: readonly EventOf<Topic>[], context: ConsumerContext) => Promise<void>;
}

export interface ConsumerContext {
  readonly tx: Transaction;
  readonly partition: number;
  /** 1 for the first try. */
  readonly attempt: number;
  /** Aborted when the handler has used up its time. What it does afterwards has no effect through `tx`. */
  readonly signal: AbortSignal;
}

/** Ties the handler's event type to the declared topic. A `single` consumer gets arrays of length one. */
export function defineConsumer<Topic extends TopicDefinition>(consumer: Consumer<Topic>): Consumer {
  // The runtime only ever hands the handler events parsed against this topic's own schemas.
  return consumer as unknown as Consumer;
}

export interface PartitionLag {
  readonly topic: string;
  readonly group: string;
  readonly partition: number;
  /** The next offset the group will read. */
  readonly committed: number;
  /** The offset after the newest message. */
  readonly end: number;
  readonly lag: number;
}

/** The bus as modules see it. */
export interface Bus {
  /**
   * Writes the events to the outbox in the caller's transaction; a relay delivers them once it has committed.
   * Lock the business row before calling this: per-key order is the order of outbox ids.
   */
  publish<Topic extends TopicDefinition>(
    tx: Transaction,
    topic: Topic,
    events: readonly NewEvent<Topic>[],
  ): Promise<void>;
  /**
   * For events that an SQL function has written itself (`urr.append_event`), after its commit: wakes the relays, in this process
   * or another. Losing it only costs the relay's next poll.
   */
  wakeRelays(): void;
  /** Outside a transaction: resolves when the broker has it (acks all), else BUS_UNAVAILABLE within 2 s. */
  publishNow<Topic extends TopicDefinition>(topic: Topic, events: readonly NewEvent<Topic>[]): Promise<void>;
  /** Starts consuming. The returned function stops after the message in hand, within a limit. */
  consume(consumer: Consumer): Promise<() => Promise<void>>;
}

/** A row of the outbox that the broker refuses for good. It waits for a person, and the later ones of its key wait behind it. */
export interface RefusedRow {
  readonly id: number;
  readonly topic: string;
  readonly partition: number;
  readonly key: string;
  readonly type: string;
  readonly bytes: number;
  readonly reason: string;
  readonly ageMs: number;
  readonly behind: number;
}

export interface ReleasedRow {
  readonly topic: string;
  readonly partition: number;
  readonly key: string;
  readonly envelope: string;
  /** How many rows waited behind it and go on. */
  readonly behind: number;
}

/** A message that a group could not handle and that waits: to be tried again, for an earlier one of its key, or for a person. */
export interface Letter extends LetterCountKey {
  readonly id: number;
  readonly deadLetter: string;
  readonly key: string;
  /** Null for what is no envelope. */
  readonly eventId: string | null;
  readonly type: string | null;
  readonly attempts: number;
  readonly reason: string;
  readonly ageMs: number;
  /** Null for one that waits behind another or for a person. */
  readonly dueInMs: number | null;
}

/** A letter with all that is known of it. */
export interface WholeLetter extends Letter {
  readonly partition: number;
  readonly offset: number;
  readonly headers: Readonly<Record<string, string>>;
  /** What came, as text. */
  readonly message: string;
}

interface LetterCountKey {
  readonly topic: string;
  readonly group: string;
  readonly state: 'retrying' | 'behind' | 'waiting-for-a-person';
}

export interface LetterCount extends LetterCountKey {
  readonly count: number;
}

/** What a person can do with letters. */
export interface BusLetters {
  /** The oldest first. `topic` is the one they came from or their dead-letter topic. */
  letters(filter: { topic?: string; group?: string; limit: number }): Promise<Letter[]>;
  letterCounts(): Promise<LetterCount[]>;
  letter(id: number): Promise<WholeLetter | null>;
  /**
   * Marks letters as due now, in pieces, and returns how many. The running consumers of their groups try them; those behind
   * them follow by themselves.
   */
  replayDeadLetter(options: { topic: string; limit: number; onProgress?: (marked: number) => void }): Promise<number>;
  /** How many letters of a dead-letter topic are due and not yet tried, and how many have failed in the last `sinceMs`. */
  replayProgress(options: { topic: string; sinceMs: number }): Promise<{ due: number; failedAgain: number }>;
  /** Gives a letter up: it has no effect, now or later. Says whether there was one. */
  dropLetter(id: number): Promise<boolean>;
  /**
   * Gives up the letters of a dead-letter topic that have failed by now, the oldest first, in pieces. Those behind them go on;
   * one of those that fails meanwhile stays. Returns how many.
   */
  dropLetters(options: { deadLetter: string; limit: number }): Promise<number>;
}

/** What the operator's commands need beside. */
export interface BusAdmin extends BusLetters {
  lag(): Promise<PartitionLag[]>;
  /** Rows of the outbox that are not yet delivered, and the age of the oldest. */
  outboxBacklog(): Promise<{ rows: number; oldestMs: number }>;
  /** Rows of the outbox that the broker refuses for good, the oldest first; `afterId` is where the piece before ended. */
  refusedRows(options: { topic?: string; afterId?: number; limit: number }): Promise<RefusedRow[]>;
  /** Lets a refused row be tried again or, with `drop`, gives it up. The rows behind it go on. `null`: no refused row has this id. */
  releaseRefused(options: { id: number; drop: boolean }): Promise<ReleasedRow | null>;
  /**
   * Sets a group back to the beginning of a topic: it has the effects of all events again, but for those that were dropped.
   * The group must have no running consumer and no letters.
   */
  replayFromBeginning(options: { topic: string; group: string }): Promise<void>;
}

/** One adapter: embedded log or Kafka. `start` makes topics and the relay. */
export interface BusEngine extends Bus, BusAdmin {
  start(): Promise<void>;
  stop(): Promise<void>;
  ping(): Promise<void>;
}
