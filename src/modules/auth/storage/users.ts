import { type Selectable, sql } from 'kysely';
import type { Role } from '#platform/http/identity.ts';
import type { Queryable, Transaction } from '#platform/postgres/database.ts';
import type { User } from '../domain/user.ts';
import type { AuthTables } from './tables.ts';

const columns = ['id', 'email', 'name', 'role', 'created_at', 'disabled_at'] as const;
type UserRow = Pick<Selectable<AuthTables['auth.users']>, (typeof columns)[number]>;

export interface NewUser {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly passwordHash: string | null;
  readonly emailVerified: boolean;
}

/** Null: the email is taken. The unique index decides, so two registrations at once cannot both succeed. */
export async function insertUser(tx: Transaction, user: NewUser): Promise<User | null> {
  const row = await tx
    .kysely<AuthTables>()
    .insertInto('auth.users')
    .values({
      id: user.id,
      email: user.email,
      name: user.name,
      role: user.role,
      password_hash: user.passwordHash,
      email_verified_at: user.emailVerified ? sql<Date>`urr.now()` : null,
    })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning(columns)
    .executeTakeFirst();
  return row ? toUser(row) : null;
}

export async function findUser(on: Queryable, id: string): Promise<User | null> {
  const row = await on
    .kysely<AuthTables>()
    .selectFrom('auth.users')
    .select(columns)
    .where('id', '=', id)
    .executeTakeFirst();
  return row ? toUser(row) : null;
}

export async function findUsers(on: Queryable, ids: readonly string[]): Promise<User[]> {
  if (ids.length === 0) return [];
  const rows = await on.kysely<AuthTables>().selectFrom('auth.users').select(columns).where('id', 'in', ids).execute();
  return rows.map(toUser);
}

export interface UserWithPassword {
  readonly user: User;
  readonly passwordHash: string | null;
}

export async function findUsersByEmail(on: Queryable, emails: readonly string[]): Promise<UserWithPassword[]> {
  if (emails.length === 0) return [];
  const rows = await on
    .kysely<AuthTables>()
    .selectFrom('auth.users')
    .select([...columns, 'password_hash'])
    .where('email', 'in', emails)
    .execute();
  return rows.map((row) => ({ user: toUser(row), passwordHash: row.password_hash }));
}

export async function findUserWithPassword(on: Queryable, id: string): Promise<UserWithPassword | null> {
  const row = await on
    .kysely<AuthTables>()
    .selectFrom('auth.users')
    .select([...columns, 'password_hash'])
    .where('id', '=', id)
    .executeTakeFirst();
  return row ? { user: toUser(row), passwordHash: row.password_hash } : null;
}

/** The user for a change, if this is still the password hash (or still none). */
export async function lockUserWithPassword(
  tx: Transaction,
  { userId, passwordHash }: { userId: string; passwordHash: string | null },
): Promise<User | null> {
  const row = await tx
    .kysely<AuthTables>()
    .selectFrom('auth.users')
    .select(columns)
    .where('id', '=', userId)
    .where('password_hash', 'is not distinct from', passwordHash)
    .forUpdate()
    .executeTakeFirst();
  return row ? toUser(row) : null;
}

/**
 * The user, if this is still the password hash. Nobody changes the user until the transaction ends, so a session that
 * begins here is either there to be revoked by such a change, or is not begun.
 */
export async function holdUserWithPassword(
  tx: Transaction,
  { userId, passwordHash }: { userId: string; passwordHash: string | null },
): Promise<User | null> {
  const row = await tx
    .kysely<AuthTables>()
    .selectFrom('auth.users')
    .select(columns)
    .where('id', '=', userId)
    .where('password_hash', '=', passwordHash)
    .forShare()
    .executeTakeFirst();
  return row ? toUser(row) : null;
}

export interface UserPage {
  /** Beginning of the email or of the name, any case. */
  readonly prefix: string | undefined;
  /** Newest first; the page begins after this id. */
  readonly after: string | undefined;
  readonly limit: number;
}

export async function listUsers(on: Queryable, { prefix, after, limit }: UserPage): Promise<User[]> {
  let query = on.kysely<AuthTables>().selectFrom('auth.users').select(columns).orderBy('id', 'desc').limit(limit);
  if (after !== undefined) query = query.where('id', '<', after);
  if (prefix !== undefined) {
    const pattern = `${prefix.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
    query = query.where((where) =>
      where.or([where('email', 'like', pattern), where(sql<string>`lower(name)`, 'like', pattern)]),
    );
  }
  return (await query.execute()).map(toUser);
}

/** Only if the hash is still the one that was read: a password changed meanwhile must not be undone. */
export async function replacePasswordHash(
  on: Queryable,
  change: { userId: string; from: string | null; to: string },
): Promise<boolean> {
  const result = await on
    .kysely<AuthTables>()
    .updateTable('auth.users')
    .set({ password_hash: change.to })
    .where('id', '=', change.userId)
    .where('password_hash', 'is not distinct from', change.from)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Everybody who may administer, locked in one order, so that two of them cannot remove each other at once. */
export async function lockAdmins(tx: Transaction): Promise<string[]> {
  const rows = await tx
    .kysely<AuthTables>()
    .selectFrom('auth.users')
    .select('id')
    .where('role', '=', 'admin')
    .where('disabled_at', 'is', null)
    .orderBy('id')
    .forUpdate()
    .execute();
  return rows.map((row) => row.id);
}

export async function lockUser(tx: Transaction, id: string): Promise<User | null> {
  const row = await tx
    .kysely<AuthTables>()
    .selectFrom('auth.users')
    .select(columns)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  return row ? toUser(row) : null;
}

export async function setRole(tx: Transaction, change: { userId: string; role: Role }): Promise<User> {
  const row = await tx
    .kysely<AuthTables>()
    .updateTable('auth.users')
    .set({ role: change.role })
    .where('id', '=', change.userId)
    .returning(columns)
    .executeTakeFirstOrThrow();
  return toUser(row);
}

export async function setDisabled(tx: Transaction, change: { userId: string; disabled: boolean }): Promise<User> {
  const row = await tx
    .kysely<AuthTables>()
    .updateTable('auth.users')
    .set({ disabled_at: change.disabled ? sql<Date>`urr.now()` : null })
    .where('id', '=', change.userId)
    .returning(columns)
    .executeTakeFirstOrThrow();
  return toUser(row);
}

export function toUser(row: UserRow): User {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    role: row.role,
    createdAtMs: row.created_at.getTime(),
    disabledAtMs: row.disabled_at?.getTime() ?? null,
  };
}
