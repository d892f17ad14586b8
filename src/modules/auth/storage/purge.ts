import type { Queryable } from '#platform/postgres/database.ts';

export interface PurgeBatch {
  readonly what: 'refresh tokens' | 'refresh families' | 'sign-in attempts';
  /** Deletes at most `limit` rows (families take their few remaining tokens along) and says how many. */
  delete(on: Queryable, limit: number): Promise<number>;
}

/**
 * Each skips rows that somebody works on: they are there at the next run. `(SELECT urr.now())` is evaluated once, so
 * that the index can be used.
 */
export const purgeBatches: readonly PurgeBatch[] = [
  batch('refresh tokens', 'auth.refresh_tokens', 'token_hash', 'expires_at < (SELECT urr.now())'),
  // A revoked family is kept a day longer, so that a support question about "why was I signed out" has an answer.
  batch(
    'refresh families',
    'auth.refresh_families',
    'id',
    `expires_at < (SELECT urr.now()) OR revoked_at < (SELECT urr.now() - interval '1 day')`,
  ),
  batch(
    'sign-in attempts',
    'auth.sign_in_attempts',
    'key',
    `touched_at < (SELECT urr.now() - interval '1 day') AND known_until < (SELECT urr.now())`,
  ),
];

function batch(what: PurgeBatch['what'], table: string, key: string, condition: string): PurgeBatch {
  const text = `DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT $1 FOR UPDATE SKIP LOCKED)`;
  return { what, delete: async (on, limit) => (await on.query(text, [limit])).rowCount };
}
