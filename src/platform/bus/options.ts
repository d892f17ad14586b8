import type { Clock } from '../clock.ts';
import type { Ids } from '../ids.ts';
import type { Database } from '../postgres/database.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { LetterCount, PartitionLag, TopicDefinition } from './port.ts';

/** What both adapters are made from. */
export interface BusOptions {
  readonly database: Database;
  /** Every topic of the program, whichever roles this process runs. */
  readonly topics: readonly TopicDefinition[];
  /**
   * Every consumer group of the program, whichever roles this process runs. Each process with a relay tells their lag:
   * that of a group whose processes are all gone would be told by nobody else.
   */
  readonly groups?: readonly ConsumerName[];
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger?: Logger;
  readonly observe?: BusObserver;
  /** `false` for tools that only look or publish: no relay, no cleaning up. Default: true. */
  readonly relay?: boolean;
  /** How long a peer may give no sign of life before its partitions are taken from it. Default: 10,000. */
  readonly staleAfterMs?: number;
  /** Between two reports of lag, letters and backlog to the observer. Default: 5,000. */
  readonly lagEveryMs?: number;
  /** Called at named places so that a test can crash the process there. */
  readonly failpoint?: (point: Failpoint) => Promise<void>;
}

export type Failpoint =
  /** Inside the transaction, after the handler, before COMMIT. */
  | 'effect-done'
  /** After COMMIT, before the broker learns of it. */
  | 'effect-committed'
  /** The broker has the messages, the outbox does not know yet. */
  | 'relay-sent';

/** Told what happens, for metrics. None of these may throw. */
export interface BusObserver {
  published?(topic: string, count: number): void;
  relayed?(topic: string, count: number): void;
  consumed?(consumer: ConsumerName, outcome: { count: number; duplicates: number; seconds: number }): void;
  failed?(consumer: ConsumerName, kind: 'outage' | 'error'): void;
  deadLettered?(consumer: ConsumerName, count: number): void;
  /** The broker refuses this row of the outbox for good; it is set aside with its reason, and its key waits. */
  refused?(topic: string, reason: string): void;
  /** A topic cannot be sent to (`reason`), or can be again (`null`). Other topics go on. */
  topicStuck?(topic: string, reason: string | null): void;
  /** A topic was deleted and made again: what was in it and not yet consumed is sent once more from the outbox. */
  topicReplaced?(topic: string): void;
  /** A peer that gave no sign of life held partitions; its session was ended. */
  staleHolderEnded?(claim: string): void;
  /** As often as `backlog`: letters that are retried by themselves, that wait behind another of their key, that wait for a person. */
  letters?(counts: readonly LetterCount[]): void;
  /** As often as `backlog`: rows of the outbox that the broker refuses, and those that wait behind them. */
  refusedRows?(count: number): void;
  /** Every `lagEveryMs`, for the declared groups and those that this process consumes. */
  lag?(lags: readonly PartitionLag[]): void;
  /** As often: what waits in the outbox of the whole database. It grows while the broker is away. */
  backlog?(waiting: { readonly rows: number; readonly oldestMs: number }): void;
}

export interface ConsumerName {
  readonly topic: string;
  readonly group: string;
}
