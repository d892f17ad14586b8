import { sql } from 'kysely';
import type { Queryable } from '#platform/postgres/database.ts';
import type { KnownToken, RefreshPolicy } from '../domain/refresh.ts';
import type { AuthTables, RevokedReason } from './tables.ts';

const now = sql<Date>`urr.now()`;
const fromNow = (ms: number) => sql<Date>`urr.now() + make_interval(secs => ${ms / 1000}::float8)`;

export interface IssuedToken {
  readonly userId: string;
  readonly expiresAtMs: number;
}

/** A new sign-in: the family and its first token, in one statement. */
export async function insertFamily(
  on: Queryable,
  family: { id: string; userId: string; tokenHash: Buffer; policy: RefreshPolicy },
): Promise<IssuedToken> {
  const row = await on
    .kysely<AuthTables>()
    .with('family', (db) =>
      db
        .insertInto('auth.refresh_families')
        .values({ id: family.id, user_id: family.userId, expires_at: fromNow(family.policy.absoluteMs) })
        .returning(['id', 'expires_at']),
    )
    .insertInto('auth.refresh_tokens')
    .columns(['token_hash', 'family_id', 'expires_at'])
    .expression((db) =>
      db
        .selectFrom('family')
        .select([
          sql<Buffer>`${family.tokenHash}::bytea`.as('token_hash'),
          'family.id',
          sql<Date>`least(family.expires_at, ${fromNow(family.policy.idleMs)})`.as('expires_at'),
        ]),
    )
    .returning('expires_at')
    .executeTakeFirstOrThrow();
  return { userId: family.userId, expiresAtMs: row.expires_at.getTime() };
}

/**
 * live → spent, and its successor is born: one conditional statement. Two that come at once meet at the token's row
 * lock and the second finds it spent. Null: the token was not live; `findToken` says what it is.
 */
export async function spendToken(
  on: Queryable,
  spend: { tokenHash: Buffer; successorHash: Buffer; successorSalt: Buffer; policy: RefreshPolicy },
): Promise<IssuedToken | null> {
  const row = await on
    .kysely<AuthTables>()
    .with('spent', (db) =>
      db
        .updateTable('auth.refresh_tokens as token')
        .from('auth.refresh_families as family')
        .innerJoin('auth.users as user', 'user.id', 'family.user_id')
        .set({ spent_at: now, successor_hash: spend.successorHash, successor_salt: spend.successorSalt })
        .whereRef('family.id', '=', 'token.family_id')
        .where('token.token_hash', '=', spend.tokenHash)
        .where('token.spent_at', 'is', null)
        .where('token.expires_at', '>', now)
        .where('family.revoked_at', 'is', null)
        .where('family.expires_at', '>', now)
        .where('user.disabled_at', 'is', null)
        .returning(['family.id', 'family.user_id', 'family.expires_at']),
    )
    // The predecessor's grace ends here: its successor is no longer the newest token.
    .with('closed', (db) =>
      db
        .updateTable('auth.refresh_tokens')
        .set({ successor_salt: null })
        .where('successor_hash', '=', spend.tokenHash)
        .where((where) => where.exists(where.selectFrom('spent').select('spent.id'))),
    )
    .with('born', (db) =>
      db
        .insertInto('auth.refresh_tokens')
        .columns(['token_hash', 'family_id', 'expires_at'])
        .expression((from) =>
          from
            .selectFrom('spent')
            .select([
              sql<Buffer>`${spend.successorHash}::bytea`.as('token_hash'),
              'spent.id',
              sql<Date>`least(spent.expires_at, ${fromNow(spend.policy.idleMs)})`.as('expires_at'),
            ]),
        )
        .returning('expires_at'),
    )
    .selectFrom('spent')
    .innerJoin('born', (join) => join.onTrue())
    .select(['spent.user_id', 'born.expires_at'])
    .executeTakeFirst();
  return row ? { userId: row.user_id, expiresAtMs: row.expires_at.getTime() } : null;
}

export interface FoundToken extends KnownToken {
  readonly familyId: string;
  readonly userId: string;
  /** When the user signed in. */
  readonly familyCreatedAtMs: number;
  /** Of the token that replaced it. */
  readonly successorExpiresAtMs: number | null;
}

export async function findToken(on: Queryable, tokenHash: Buffer): Promise<FoundToken | null> {
  const row = await on
    .kysely<AuthTables>()
    .selectFrom('auth.refresh_tokens as token')
    .innerJoin('auth.refresh_families as family', 'family.id', 'token.family_id')
    .innerJoin('auth.users as user', 'user.id', 'family.user_id')
    .leftJoin('auth.refresh_tokens as successor', 'successor.token_hash', 'token.successor_hash')
    .select([
      'token.family_id',
      'family.user_id',
      'token.expires_at',
      'token.spent_at',
      'token.successor_salt',
      'family.created_at as family_created_at',
      'family.expires_at as family_expires_at',
      'family.revoked_at',
      'user.disabled_at',
      'successor.expires_at as successor_expires_at',
      now.as('now'),
    ])
    .where('token.token_hash', '=', tokenHash)
    .executeTakeFirst();
  if (!row) return null;
  return {
    familyId: row.family_id,
    userId: row.user_id,
    familyCreatedAtMs: row.family_created_at.getTime(),
    nowMs: row.now.getTime(),
    expiresAtMs: row.expires_at.getTime(),
    spentAtMs: row.spent_at?.getTime() ?? null,
    successorSalt: row.successor_salt,
    successorExpiresAtMs: row.successor_expires_at?.getTime() ?? null,
    familyExpiresAtMs: row.family_expires_at.getTime(),
    familyRevoked: row.revoked_at !== null,
    userDisabled: row.disabled_at !== null,
  };
}

/** live → revoked. True: this call did it. */
export async function revokeFamily(on: Queryable, family: { id: string; reason: RevokedReason }): Promise<boolean> {
  const result = await on
    .kysely<AuthTables>()
    .updateTable('auth.refresh_families')
    .set({ revoked_at: now, revoked_reason: family.reason })
    .where('id', '=', family.id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Ends the session that this token, spent or not, belongs to. An unknown token ends nothing. */
export async function revokeFamilyOfToken(
  on: Queryable,
  token: { hash: Buffer; reason: RevokedReason },
): Promise<void> {
  await on
    .kysely<AuthTables>()
    .updateTable('auth.refresh_families')
    .set({ revoked_at: now, revoked_reason: token.reason })
    .where('id', '=', (where) =>
      where.selectFrom('auth.refresh_tokens').select('family_id').where('token_hash', '=', token.hash),
    )
    .where('revoked_at', 'is', null)
    .execute();
}

export async function revokeFamiliesOfUser(on: Queryable, user: { id: string; reason: RevokedReason }): Promise<void> {
  await on
    .kysely<AuthTables>()
    .updateTable('auth.refresh_families')
    .set({ revoked_at: now, revoked_reason: user.reason })
    .where('user_id', '=', user.id)
    .where('revoked_at', 'is', null)
    .execute();
}
