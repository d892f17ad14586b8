import { refreshPolicy } from '../domain/refresh.ts';
import { signInLimits } from '../domain/sign-in-limits.ts';
import type { User } from '../domain/user.ts';
import { createSignInGate } from '../passwords/gate.ts';
import { createPasswordHasher, type PasswordHasher } from '../passwords/hasher.ts';
import type { AuthDeps } from '../ports.ts';
import { createSignInAttempts } from '../storage/sign-in-attempts.ts';
import { findUser, findUsers } from '../storage/users.ts';
import { type Accounts, createAccounts } from './accounts.ts';
import { type Administration, createAdministration } from './administration.ts';
import { createDevices, type Devices } from './devices.ts';
import { createErasure, type Erasure } from './erasure.ts';
import { createOidcSignIn, type OidcSignIn } from './oidc-sign-in.ts';
import { createPersonalData, type PersonalData } from './personal-data.ts';
import { createSeeding, type Seeding } from './seed.ts';
import { createSessions, type Sessions } from './sessions.ts';

/** All that the module can do, without HTTP. */
export interface AuthService extends Accounts, Seeding {
  readonly sessions: Sessions;
  readonly administration: Administration;
  readonly devices: Devices;
  readonly personalData: PersonalData;
  readonly erasure: Erasure;
  /** Null: no provider is configured. */
  readonly oidc: OidcSignIn | null;
  find(userId: string): Promise<User | null>;
  findMany(userIds: readonly string[]): Promise<User[]>;
}

export interface AuthServiceDeps extends AuthDeps {
  /** Made from the configured cost unless given. */
  readonly hasher?: PasswordHasher;
}

export function createAuthService(deps: AuthServiceDeps): AuthService {
  const { database, random, config } = deps;
  const hasher = deps.hasher ?? createPasswordHasher({ cost: config.passwordCost, random });
  const gate = createSignInGate(config.hashing);
  const attempts = createSignInAttempts({ database, limits: signInLimits });
  const devices = createDevices(deps);
  const sessions = createSessions({ ...deps, policy: refreshPolicy });
  const accounts = createAccounts({ ...deps, hasher, gate, attempts, devices, sessions });
  return {
    ...accounts,
    ...createSeeding({ ...deps, hasher }),
    sessions,
    devices,
    personalData: createPersonalData(deps),
    erasure: createErasure({ ...deps, accounts }),
    administration: createAdministration(deps),
    oidc:
      config.oidc && config.oidc.providers.length > 0
        ? createOidcSignIn({ ...deps, sessions, oidc: config.oidc })
        : null,
    find: (userId) => findUser(database, userId),
    findMany: (userIds) => findUsers(database, userIds),
  };
}
