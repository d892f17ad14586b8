import type { Queryable, Transaction } from '#platform/postgres/database.ts';
import { emailAttemptKey } from './sign-in-attempts.ts';

export interface AcceptedErasure {
  readonly acceptedAtMs: number;
  readonly accessEndsAtMs: number;
}

/** The account goes and the intent to erase the rest is there: one transaction. The caller has locked the user. */
export async function acceptErasure(
  tx: Transaction,
  { userId, email, accessMs }: { userId: string; email: string; accessMs: number },
): Promise<AcceptedErasure> {
  await tx.query('DELETE FROM auth.refresh_families WHERE user_id = $1', [userId]);
  await tx.query('DELETE FROM auth.external_identities WHERE user_id = $1', [userId]);
  await tx.query('DELETE FROM auth.sign_in_attempts WHERE key = $1', [emailAttemptKey(email)]);
  await tx.query('DELETE FROM auth.users WHERE id = $1', [userId]);
  const { rows } = await tx.query<{ accepted_at: Date; access_ends_at: Date }>(
    `INSERT INTO auth.erasures (user_id, access_ends_at) VALUES ($1, urr.now() + make_interval(secs => $2))
     RETURNING accepted_at, access_ends_at`,
    [userId, accessMs / 1000],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('an erasure that was just written is gone');
  return { acceptedAtMs: row.accepted_at.getTime(), accessEndsAtMs: row.access_ends_at.getTime() };
}

export interface DueErasure {
  readonly userId: string;
  readonly erasedIn: readonly string[];
  /** No access token of the user is good any more. */
  readonly isAccessOver: boolean;
  readonly tries: number;
}

/** Takes erasures whose time has come, for as long as a pass may last: two processes never work on the same one. */
export async function takeDueErasures(
  on: Queryable,
  { limit, leaseMs }: { limit: number; leaseMs: number },
): Promise<DueErasure[]> {
  const { rows } = await on.query<DueErasure>(
    `UPDATE auth.erasures AS e SET next_try_at = urr.now() + make_interval(secs => $2), tries = e.tries + 1
      WHERE e.user_id IN (SELECT d.user_id FROM auth.erasures d WHERE d.done_at IS NULL AND d.next_try_at <= (SELECT urr.now())
        ORDER BY d.next_try_at LIMIT $1 FOR UPDATE SKIP LOCKED)
      RETURNING e.user_id AS "userId", e.erased_in AS "erasedIn", e.access_ends_at <= urr.now() AS "isAccessOver", e.tries`,
    [limit, leaseMs / 1000],
  );
  return rows;
}

export async function noteErasedIn(on: Queryable, erasure: { userId: string; module: string }): Promise<void> {
  await on.query(
    'UPDATE auth.erasures SET erased_in = array_append(erased_in, $2), tries = 0 WHERE user_id = $1 AND NOT $2 = ANY (erased_in)',
    [erasure.userId, erasure.module],
  );
}

/** The first pass is through; what is done with old access tokens is looked for once they are over. */
export async function waitForAccessToEnd(on: Queryable, userId: string): Promise<void> {
  await on.query('UPDATE auth.erasures SET next_try_at = access_ends_at, tries = 0 WHERE user_id = $1', [userId]);
}

export async function retryErasure(
  on: Queryable,
  { userId, afterMs }: { userId: string; afterMs: number },
): Promise<void> {
  await on.query('UPDATE auth.erasures SET next_try_at = urr.now() + make_interval(secs => $2) WHERE user_id = $1', [
    ...[userId, afterMs / 1000],
  ]);
}

export async function finishErasure(on: Queryable, userId: string): Promise<void> {
  await on.query('UPDATE auth.erasures SET done_at = urr.now() WHERE user_id = $1 AND done_at IS NULL', [userId]);
}
