import { sql } from 'kysely';
import type { Transaction } from '#platform/postgres/database.ts';
import type { User } from '../domain/user.ts';
import type { AuthTables } from './tables.ts';
import { toUser } from './users.ts';

export interface ExternalIdentity {
  readonly provider: string;
  readonly subject: string;
}

export async function findLinkedUser(tx: Transaction, { provider, subject }: ExternalIdentity): Promise<User | null> {
  const row = await tx
    .kysely<AuthTables>()
    .selectFrom('auth.external_identities as identity')
    .innerJoin('auth.users as user', 'user.id', 'identity.user_id')
    .select(['user.id', 'user.email', 'user.name', 'user.role', 'user.created_at', 'user.disabled_at'])
    .where('identity.provider', '=', provider)
    .where('identity.subject', '=', subject)
    // Held until the session has begun: an account that is being given up is either waited for and gone, or waits itself.
    .forShare('user')
    .executeTakeFirst();
  return row ? toUser(row) : null;
}

/** The caller holds or has just made the user's row, so only a repeat by the same person can be there first. */
export async function linkIdentity(tx: Transaction, link: ExternalIdentity & { userId: string }): Promise<void> {
  await tx
    .kysely<AuthTables>()
    .insertInto('auth.external_identities')
    .values({ provider: link.provider, subject: link.subject, user_id: link.userId })
    .onConflict((conflict) => conflict.columns(['provider', 'subject']).doNothing())
    .execute();
}

/**
 * The provider vouches that the email belongs to the one who signs in. If nobody had shown that before, the password and
 * the links may be those of a stranger who took the address in advance, so they go. True: that happened just now.
 */
export async function claimEmail(tx: Transaction, userId: string): Promise<boolean> {
  const result = await tx
    .kysely<AuthTables>()
    .updateTable('auth.users')
    .set({ email_verified_at: sql<Date>`urr.now()`, password_hash: null })
    .where('id', '=', userId)
    .where('email_verified_at', 'is', null)
    .executeTakeFirst();
  if (result.numUpdatedRows === 0n) return false;
  await tx.kysely<AuthTables>().deleteFrom('auth.external_identities').where('user_id', '=', userId).execute();
  return true;
}
