import type { catalogInternalCalls } from '#modules/catalog/contract.ts';
import type { EntryClaims } from '#modules/gateway/contract.ts';
import type { AuditLog } from '#platform/audit/port.ts';
import type { Bus, BusAdmin } from '#platform/bus/port.ts';
import type { Clock } from '#platform/clock.ts';
import type { Ids } from '#platform/ids.ts';
import type { InternalClient } from '#platform/internal-call.ts';
import type { personalDataCalls } from '#platform/personal-data-calls.ts';
import type { Database } from '#platform/postgres/database.ts';
import type { Random } from '#platform/random.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import type { Metrics } from '#platform/telemetry/metrics.ts';
import type { JwtKind } from '#platform/tokens/jwt.ts';
import type { Rooms, VwrClaims } from './contract.ts';
import type { ClosedLoopConfig } from './domain/closed-loop.ts';
import type { LatencyCounts } from './domain/latency-window.ts';
import type { PaceConfig } from './domain/pace.ts';
import type { QueueConfig, QueueStore } from './ports.ts';

/** Everything the module needs from outside. */
export interface QueueDeps {
  readonly database: Database;
  readonly bus: Pick<Bus, 'publishNow'> & Pick<BusAdmin, 'lag'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  readonly logger: Logger;
  readonly audit: AuditLog;
  readonly metrics: Metrics;
  readonly store: QueueStore;
  readonly catalog: Omit<InternalClient<typeof catalogInternalCalls>, keyof typeof personalDataCalls>;
  /** `entry+jwt`, shared with the gateway. */
  readonly entryTokens: JwtKind<EntryClaims>;
  /** Of the waiting tickets. The first seals, all open. */
  readonly waitingTicketSecrets: readonly string[];
  /** `vwr+jwt`. Null: there is no tier 1 in this installation. */
  readonly vwrTokens: Pick<JwtKind<VwrClaims>, 'verify'> | null;
  /** Which events have their waiting room on. None without it. */
  readonly rooms?: Rooms;
  /** False only where the site is served over plain HTTP, i.e. on one's own machine. */
  readonly secureCookies: boolean;
  readonly config: QueueConfig;
  /** Where they are not the plain ones. */
  readonly admission?: AdmissionOptions;
  /** What other processes see of the origin. Without it, this one's own gateway is the only one. */
  readonly originReports?: OriginReports;
  /** Told of each admission. None by default. */
  readonly notices?: AdmissionNotices;
}

/** What the gateways saw of the origin lately. Each process tells its own and learns that of all. */
export interface OriginReports {
  /** Replaces what this process told before; null: it saw nothing. Answers with those of the last seconds, its own included. */
  exchange(own: LatencyCounts | null): Promise<LatencyCounts[]>;
}

export interface AdmissionOptions {
  /** Default: the interval and batch of `config`, fixed. */
  readonly pace?: PaceConfig;
  /** Absent: off. */
  readonly closedLoop?: ClosedLoopConfig;
  /** For demonstrations: so many random slots of each event are given back each tick. */
  readonly turnoverPerTick?: number;
}

/** Fire and forget: it neither throws nor waits, and what it cannot take it drops. */
export interface AdmissionNotices {
  admitted(notice: AdmissionNotice): void;
  /** Sends what it still can within a bounded time. May be called by each role that tells through it. */
  stop(): Promise<void>;
}

export interface AdmissionNotice {
  readonly eventId: string;
  readonly userId: string;
  readonly entryToken: string;
  readonly atMs: number;
}

export const noRoomsOn: Rooms = { isOn: () => false, failsOpen: () => false };
