import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { platformErrors } from './errors.ts';
import type { Database, Queryable, Transaction } from './postgres/database.ts';

export interface IdempotencyScope {
  /** Whose key it is. Another user's equal key is simply another key. */
  readonly userId: string;
  readonly method: string;
  /** With the values of its parameters: the same key and body for another thing is another request, not a repeat. */
  readonly route: string;
  readonly key: string;
  readonly body: unknown;
}

export interface StoredAnswer<Body = unknown> {
  readonly status: number;
  readonly body: Body;
}

/**
 * Runs the work in one transaction together with the row that remembers its answer. A repeat gets the stored answer;
 * another body is IDEMPOTENCY_MISMATCH; one still running is IDEMPOTENCY_IN_FLIGHT. A thrown fault rolls everything
 * back, so a refusal is not stored and the same key may be tried again.
 *
 * While the work runs, an advisory lock on the key (held to the end of the transaction) marks it as in flight: a crash
 * frees it at once, and no half-written row has to be cleaned up.
 */
export async function runIdempotent<Body>(
  database: Database,
  scope: IdempotencyScope,
  work: (tx: Transaction) => Promise<StoredAnswer<Body>>,
): Promise<StoredAnswer<Body> & { replayed: boolean }> {
  const fingerprint = fingerprintOf(scope.body);
  return database.transaction(async (tx) => {
    const db = tx.kysely<IdempotencyTables>();
    const name = lockNameOf(scope);
    const lock = await sql<{
      free: boolean;
    }>`SELECT pg_try_advisory_xact_lock(hashtextextended(${name}, 7277)) AS free`.execute(db);
    if (lock.rows[0]?.free !== true) throw platformErrors.fault('IDEMPOTENCY_IN_FLIGHT');
    const stored = await db
      .selectFrom('urr.idempotency_keys')
      .select(['fingerprint', 'status', 'body'])
      .where('user_id', '=', scope.userId)
      .where('method', '=', scope.method)
      .where('route', '=', scope.route)
      .where('key', '=', scope.key)
      .executeTakeFirst();
    if (stored !== undefined) {
      if (stored.fingerprint !== fingerprint) throw platformErrors.fault('IDEMPOTENCY_MISMATCH');
      // What was stored is what the same work answered before, so it has the type of its answer.
      return { status: stored.status, body: stored.body as Body, replayed: true };
    }
    const answer = await work(tx);
    await db
      .insertInto('urr.idempotency_keys')
      .values({
        user_id: scope.userId,
        method: scope.method,
        route: scope.route,
        key: scope.key,
        fingerprint,
        status: answer.status,
        body: JSON.stringify(answer.body ?? null),
      })
      .execute();
    return { ...answer, replayed: false };
  });
}

/** What the advisory lock of a key is made from. SQL functions that keep keys themselves lock the same. */
export function lockNameOf({ userId, method, route, key }: Omit<IdempotencyScope, 'body'>): string {
  return JSON.stringify([userId, method, route, key]);
}

export const idempotencyKeyPattern = '^[\\x21-\\x7e]{1,200}$';

/** Old keys are forgotten in small bites. */
export async function purgeIdempotencyKeys(
  database: Database,
  options: { olderThanHours: number; batch: number },
): Promise<number> {
  const result = await database.query(
    `DELETE FROM urr.idempotency_keys WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM urr.idempotency_keys WHERE created_at < urr.now() - make_interval(hours => $1) LIMIT $2))`,
    [options.olderThanHours, options.batch],
  );
  return result.rowCount;
}

/** The answers to one user, who is to be forgotten. */
export async function forgetAnswersTo(on: Queryable, userId: string): Promise<void> {
  await on.query('DELETE FROM urr.idempotency_keys WHERE user_id = $1', [userId]);
}

/** Equal JSON documents have equal fingerprints, whatever the order of their members. */
export function fingerprintOf(body: unknown): string {
  return hash('sha256', JSON.stringify(sorted(body)) ?? '', 'base64url');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  );
}

interface IdempotencyTables {
  'urr.idempotency_keys': {
    user_id: string;
    method: string;
    route: string;
    key: string;
    fingerprint: string;
    status: number;
    body: unknown;
  };
}
