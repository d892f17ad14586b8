import type { AuditLog } from '#platform/audit/port.ts';
import type { Bus } from '#platform/bus/port.ts';
import type { Clock } from '#platform/clock.ts';
import type { Role } from '#platform/http/identity.ts';
import type { Ids } from '#platform/ids.ts';
import type { PersonalDataClient } from '#platform/personal-data-calls.ts';
import type { Database } from '#platform/postgres/database.ts';
import type { Random } from '#platform/random.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import type { JwtKind } from '#platform/tokens/jwt.ts';
import type { PasswordCost } from './domain/password-hash.ts';

/** Everything the module needs from outside. */
export interface AuthDeps {
  readonly database: Database;
  readonly bus: Pick<Bus, 'publish'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  /** `at+jwt`, shared with the gateway. */
  readonly accessTokens: JwtKind<AccessClaims>;
  readonly audit: AuditLog;
  readonly logger: Logger;
  /** The other modules that keep something of users, in the order in which they are to forget one. */
  readonly keepers: readonly Keeper[];
  readonly config: AuthConfig;
}

export interface Keeper {
  readonly module: string;
  readonly calls: PersonalDataClient;
}

export interface AccessClaims {
  readonly sub: string;
  readonly email: string;
  readonly role: Role;
}

export interface AuthConfig {
  /** False only where the site is served over plain HTTP, i.e. on one's own machine. */
  readonly secureCookies: boolean;
  readonly passwordCost: PasswordCost;
  readonly hashing: HashingLimits;
  /** Of the cookies by which a browser proves that it signed in before. At least 32 bytes; the first signs, all verify. */
  readonly deviceSecrets: readonly string[];
  /** Null: no sign-in providers. */
  readonly oidc: OidcConfig | null;
}

export interface HashingLimits {
  /** Sign-ins worked on at once. Below libuv's 4 threads, so that files and DNS still get one. */
  readonly concurrentMax: number;
  /** Sign-ins that wait for that; more are refused at once. */
  readonly waitingMax: number;
  readonly waitMaxMs: number;
}

export const hashingDefaults: HashingLimits = { concurrentMax: 3, waitingMax: 64, waitMaxMs: 5_000 };

export interface OidcConfig {
  /** Where browsers reach this site: `https://tickets.example`. The redirect address is made from it. */
  readonly publicUrl: string;
  /** Of the cookie that carries a sign-in across the provider's pages. At least 32 bytes; the first signs, all verify. */
  readonly stateSecrets: readonly string[];
  /** The page that explains a failed sign-in; it gets `?error=CODE`. */
  readonly failurePath: string;
  readonly providers: readonly OidcProviderConfig[];
  readonly limits: OidcLimits;
}

export interface OidcLimits {
  /** For one request with its whole body, and for all that one step of a sign-in asks of the provider. */
  readonly timeoutMs: number;
  /** Of one answer. */
  readonly bytesMax: number;
}

/** Below the 5 s that a gateway in another process waits for this role: a slow provider must not look like a slow role. */
export const oidcLimitsDefault: OidcLimits = { timeoutMs: 4_000, bytesMax: 256 * 1024 };

export interface OidcProviderConfig {
  /** In addresses and in the database: lower case, never renamed. */
  readonly id: string;
  /** What the button says. */
  readonly label: string;
  /** As in the provider's discovery document: `https://accounts.google.com`. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}
