import type { Database, Transaction } from './postgres/database.ts';

export interface IdempotencyScope {
  readonly userId: string;
  readonly method: string;
  readonly route: string;
  readonly key: string;
  /** Of the body; see `fingerprint`. */
  readonly fingerprint: string;
}

export interface StoredAnswer {
  readonly status: number;
  readonly body: unknown;
}

export interface Idempotency {
  /**
   * Runs the work in one transaction together with the row that remembers its answer. A repeat gets the stored answer
   * (`replayed: true`); another body is IDEMPOTENCY_MISMATCH; one still running is IDEMPOTENCY_IN_FLIGHT.
   * A thrown fault rolls everything back, so 4xx/5xx are not stored and may be tried again.
   */
  run(
    database: Database,
    scope: IdempotencyScope,
    work: (tx: Transaction) => Promise<StoredAnswer>,
  ): Promise<StoredAnswer & { replayed: boolean }>;
}
