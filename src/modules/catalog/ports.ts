import type { AuditLog } from '#platform/audit/port.ts';
import type { Bus } from '#platform/bus/port.ts';
import type { Clock } from '#platform/clock.ts';
import type { Identity } from '#platform/http/identity.ts';
import type { Ids } from '#platform/ids.ts';
import type { Database } from '#platform/postgres/database.ts';
import type { Logger } from '#platform/telemetry/logger.ts';

export interface CatalogDeps {
  readonly database: Database;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly audit: AuditLog;
  readonly logger: Logger;
  /** The auth module's internal client fits. */
  readonly auth: UserDirectory;
}

/** Who somebody is, asked when an admin acts for a seller. */
export interface UserDirectory {
  usersById(input: { ids: string[] }): Promise<{ users: readonly { id: string; role: string }[] }>;
}

/** Who acts, and in which request: every change is written down with it. */
export interface Actor {
  readonly userId: string;
  readonly role: Identity['role'];
  readonly requestId?: string;
}
