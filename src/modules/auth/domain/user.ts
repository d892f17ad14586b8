import type { Role } from '#platform/http/identity.ts';

/** A user as everybody in the module sees one; what it is stored with stays in storage. */
export interface User {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly createdAtMs: number;
  readonly disabledAtMs: number | null;
}

/** How a user came to be, as `user-events` tells it. */
export type RegisteredVia = 'password' | 'oidc' | 'seed';
