import type { Kysely } from 'kysely';

/** What a query may run on: the pool, or one transaction. */
export interface Queryable {
  query<Row = Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
    options?: QueryOptions,
  ): Promise<QueryRows<Row>>;
  /** Ordinary queries, typed by the module's own table definitions. */
  kysely<Tables>(): Kysely<Tables>;
}

export interface QueryOptions {
  /**
   * Each connection parses and plans the statement once. For short, frequent ones whose text never varies, and whose best plan does
   * not depend on how full the tables are: the plan that was right for an empty table would stay.
   */
  readonly prepare?: boolean;
}

export interface QueryRows<Row> {
  readonly rows: Row[];
  readonly rowCount: number;
}

export interface Transaction extends Queryable {
  /** Runs after a successful commit (a wake-up, a cache eviction). It must not throw, and losing it must be harmless. */
  afterCommit(effect: () => void): void;
}

export interface TransactionOptions {
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable';
  /**
   * The work may be run again from its start after a serialization failure, a deadlock or a connection lost before
   * COMMIT was sent. Only for work without effects outside the transaction. Default: true.
   */
  readonly retry?: boolean;
  /** Shorter than the pool's own limit, which ends a statement in any case. */
  readonly statementTimeoutMs?: number;
  /**
   * How long the server waits for the next statement before it ends the session; else the pool's limit. A process that
   * is frozen keeps the rows that it has locked for as long.
   */
  readonly idleTimeoutMs?: number;
  /** A statement of the work failed because its connection broke, whatever the work then makes of that. */
  readonly onConnectionLost?: (error: unknown) => void;
}

/**
 * PostgreSQL as the rest of the program sees it. When it cannot be reached, every call fails with the fault
 * DATABASE_UNAVAILABLE within the connection timeout; it recovers by itself when the server is back.
 */
export interface Database extends Queryable {
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** A connection of one's own, outside the pool: for LISTEN and for session advisory locks. */
  session(name: string): Promise<Session>;
  /** Answers or throws within a second or two. */
  ping(): Promise<void>;
  close(): Promise<void>;
  /** The connection string, for tools that need their own client. */
  readonly url: string;
}

export interface Session extends Queryable {
  /** Runs once when the connection ends, from either side. */
  onEnd(listener: (reason: Error | null) => void): void;
  onNotification(listener: (channel: string, payload: string) => void): void;
  close(): Promise<void>;
}
