import { auditSection, type ExportedUser, exportSections } from '#platform/personal-data.ts';
import type { Queryable } from '#platform/postgres/database.ts';

/** Secrets (the hash of the password, those of refresh tokens) are nobody's to read. */
const queries = {
  account: `SELECT jsonb_build_object('id', id, 'email', email, 'emailVerifiedAt', email_verified_at, 'name', name, 'role', role,
      'hasPassword', password_hash IS NOT NULL, 'createdAt', created_at) AS item
    FROM auth.users WHERE id = $1 LIMIT $2`,
  signInProviders: `SELECT jsonb_build_object('provider', provider, 'subject', subject, 'linkedAt', linked_at) AS item
    FROM auth.external_identities WHERE user_id = $1 ORDER BY linked_at DESC LIMIT $2`,
  sessions: `SELECT jsonb_build_object('startedAt', f.created_at, 'expiresAt', f.expires_at, 'endedAt', f.revoked_at,
      'endedBecause', f.revoked_reason,
      'lastRenewedAt', (SELECT max(t.issued_at) FROM auth.refresh_tokens t WHERE t.family_id = f.id)) AS item
    FROM auth.refresh_families f WHERE f.user_id = $1 ORDER BY f.created_at DESC LIMIT $2`,
  // The log is written with the id as text.
  audit: auditSection('auth'),
};

export function exportedAccount(on: Queryable, userId: string): Promise<ExportedUser> {
  return exportSections(on, { userId, queries });
}
