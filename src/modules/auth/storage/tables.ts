import type { ColumnType, Generated } from 'kysely';
import type { Role } from '#platform/http/identity.ts';

type Time = ColumnType<Date, Date | undefined, Date>;
type NullableTime = ColumnType<Date | null, Date | null | undefined, Date | null>;

export interface AuthTables {
  'auth.users': {
    id: string;
    email: string;
    email_verified_at: NullableTime;
    name: string;
    role: Role;
    password_hash: string | null;
    created_at: Time;
    disabled_at: NullableTime;
  };
  'auth.external_identities': { provider: string; subject: string; user_id: string; linked_at: Time };
  'auth.refresh_families': {
    id: string;
    user_id: string;
    created_at: Time;
    expires_at: Date;
    revoked_at: NullableTime;
    revoked_reason: RevokedReason | null;
  };
  'auth.refresh_tokens': {
    token_hash: Buffer;
    family_id: string;
    issued_at: Time;
    expires_at: Date;
    spent_at: NullableTime;
    successor_hash: Buffer | null;
    successor_salt: Buffer | null;
  };
  'auth.sign_in_attempts': {
    key: Buffer;
    failures: Generated<number>;
    pending: Generated<number>;
    touched_at: Date;
    blocked_until: Date;
    known_until: Date;
  };
}

export type RevokedReason = 'signed_out' | 'reused' | 'role_changed' | 'disabled' | 'email_claimed';
