import type { Transaction } from '../postgres/database.ts';

/** One act of an operator, seller or admin: who, what, on what, before and after. */
export interface AuditEntry {
  readonly actorId: string;
  readonly actorRole: string;
  /** `catalog.event.cancel`: module, thing, verb. */
  readonly action: string;
  readonly subject: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly requestId?: string;
}

export interface AuditLog {
  /** Inside the transaction that does the act, so that neither exists without the other. */
  record(tx: Transaction, entry: AuditEntry): Promise<void>;
}
