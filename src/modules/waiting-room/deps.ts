import type { catalogInternalCalls } from '#modules/catalog/contract.ts';
import type { queueInternalCalls, VwrClaims } from '#modules/queue/contract.ts';
import type { AuditLog } from '#platform/audit/port.ts';
import type { Clock } from '#platform/clock.ts';
import type { Ids } from '#platform/ids.ts';
import type { InternalClient } from '#platform/internal-call.ts';
import type { Database } from '#platform/postgres/database.ts';
import type { Random } from '#platform/random.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import type { Metrics } from '#platform/telemetry/metrics.ts';
import type { JwtKind } from '#platform/tokens/jwt.ts';
import type { BeaconSource, Counters, WaitingRoomConfig } from './ports.ts';

/** Everything the module needs from outside. */
export interface WaitingRoomDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  readonly logger: Logger;
  readonly audit: AuditLog;
  readonly metrics: Metrics;
  readonly counters: Counters;
  readonly catalog: Pick<InternalClient<typeof catalogInternalCalls>, 'eventFacts'>;
  readonly queue: Pick<InternalClient<typeof queueInternalCalls>, 'switchRoom' | 'demand'>;
  readonly beacon: BeaconSource;
  /** `vwr+jwt`. Whoever lets nobody pass the room verifies it. */
  readonly vwrTokens: Pick<JwtKind<VwrClaims>, 'sign'>;
  /** Of requestIds. The first seals, all open. */
  readonly requestSecrets: readonly string[];
  /** False only where the site is served over plain HTTP, i.e. on one's own machine. */
  readonly secureCookies: boolean;
  readonly config: WaitingRoomConfig;
}
