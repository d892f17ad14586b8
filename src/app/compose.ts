import { fileURLToPath } from 'node:url';
import { type AuthInstance, authInternalCalls, createAuth } from '#modules/auth/index.ts';
import { type Catalog, catalogInternalCalls, createCatalog } from '#modules/catalog/index.ts';
import { type AccessClaims, createGateway, type EntryClaims, type Gateway } from '#modules/gateway/index.ts';
import {
  createDeniedEntries,
  createMemoryStore,
  createOwnReports,
  createProtectedCallWatch,
  createQueue,
  createQueueHot,
  createRedisReports,
  createRedisStore,
  createSqsNotices,
  createTicketHolder,
  type OriginReports,
  type QueueStore,
  type VwrClaims,
} from '#modules/queue/index.ts';
import { postgresAuditLog } from '#platform/audit/postgres-audit-log.ts';
import type { BusEngine } from '#platform/bus/port.ts';
import type { Clock } from '#platform/clock.ts';
import type { Role } from '#platform/http/identity.ts';
import {
  createInternalClient,
  httpTransport,
  type InternalTransport,
  inProcessTransport,
} from '#platform/http/internal-client.ts';
import { createInternalSignature, type InternalSignature } from '#platform/http/internal-signature.ts';
import type { Ids } from '#platform/ids.ts';
import type { ModuleInstance } from '#platform/module.ts';
import type { Database } from '#platform/postgres/database.ts';
import type { Random } from '#platform/random.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import type { Metrics } from '#platform/telemetry/metrics.ts';
import { createJwtKind } from '#platform/tokens/jwt.ts';
import { authConfig, secureCookies } from './auth-config.ts';
import type { UrrConfig } from './config.ts';
import type { OpenEngines } from './engines/parts.ts';
import { modulesByRole } from './modules.ts';
import { admissionOptions } from './pace-settings.ts';
import { queueConfig } from './queue-settings.ts';
import { rateLimitsOf } from './rate-settings.ts';
import { type RoleName, remoteUrl } from './roles.ts';

export interface ComposeOptions {
  readonly config: UrrConfig;
  readonly roles: readonly RoleName[];
  readonly engines: OpenEngines;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

export interface Composition {
  readonly modules: ReadonlyMap<RoleName, ModuleInstance>;
  readonly gateway: Gateway | null;
  readonly auth: AuthInstance | null;
  readonly catalog: Catalog | null;
  readonly signature: InternalSignature;
}

const accessTokenSeconds = 15 * 60;
const vwrTokenSeconds = 600;
const pagesFolder = fileURLToPath(new URL('../../web/dist/', import.meta.url));

/** Makes the modules of this process's roles and ties them together. The only place that knows who needs whom. */
export function composeModules(options: ComposeOptions): Composition {
  const { config, roles, engines, clock, ids, random, logger, metrics } = options;
  const signature = createInternalSignature({
    secrets: config.internalSecrets,
    clock,
    roles: roles.map((role) => modulesByRole[role].name),
  });
  const accessTokens = createJwtKind<AccessClaims & { role: Role }>({
    typ: 'at+jwt',
    secrets: config.accessTokenSecrets,
    ttlSeconds: accessTokenSeconds,
    clock,
  });
  const shared = { clock, ids, random, logger, audit: postgresAuditLog };

  const auth = roles.includes('auth')
    ? createAuth({ ...shared, ...durable(engines), accessTokens, config: authConfig(config) })
    : null;
  const catalog = roles.includes('catalog')
    ? createCatalog({
        ...shared,
        ...durable(engines),
        auth: createInternalClient(
          authInternalCalls,
          auth ? inProcessTransport(auth.internal) : remoteTransport('auth'),
        ),
      })
    : null;
  const entryTokens = createJwtKind<EntryClaims>({
    typ: 'entry+jwt',
    secrets: config.entryTokenSecrets,
    ttlSeconds: config.queueEntryTokenTtlSeconds,
    clock,
  });
  // One store for both roles of the queue: in memory they must see the same.
  const queueDeps = once(() => ({
    ...shared,
    ...durable(engines),
    metrics,
    store: queueStore(engines, clock),
    catalog: createInternalClient(
      catalogInternalCalls,
      catalog ? inProcessTransport(catalog.internal) : remoteTransport('catalog'),
    ),
    entryTokens,
    config: queueConfig(config),
    ...(config.sqsQueueUrl !== null && {
      notices: createSqsNotices({
        queueUrl: config.sqsQueueUrl,
        endpoint: config.sqsEndpoint,
        ...{ clock, random, logger, metrics },
      }),
    }),
  }));
  const queue = roles.includes('queue')
    ? createQueue({
        ...queueDeps(),
        ticketSecrets: config.ticketSecrets,
        vwrTokens: createJwtKind<VwrClaims>({
          typ: 'vwr+jwt',
          secrets: config.vwrTokenSecrets,
          ttlSeconds: vwrTokenSeconds,
          clock,
        }),
        secureCookies: secureCookies(config),
        admission: admissionOptions(config),
        originReports: originReports(engines),
      })
    : null;
  const queueHot = roles.includes('queue-hot') ? createQueueHot(queueDeps()) : null;
  const queueElsewhere = roles.includes('gateway') && queue === null ? queueThroughRedis(options) : null;
  const gateway = roles.includes('gateway')
    ? createGateway({
        clock,
        logger,
        accessTokens,
        entryTokens,
        ticketHolder: createTicketHolder({ secrets: config.ticketSecrets }),
        ...(queue && { deniedEntries: queue.denied, protectedCalls: queue.protectedCalls }),
        ...queueElsewhere,
        signature,
        rateLimits: rateLimitsOf(config),
        redis: engines.redis,
        publicOrigins: config.publicOrigins,
        corsOrigins: config.corsOrigins,
        remotes: remotesOf(config, roles),
        remoteTimeoutMs: config.remoteTimeoutMs,
        pagesFolder,
      })
    : null;
  const modules = new Map<RoleName, ModuleInstance>(
    Object.entries({ auth, catalog, queue, 'queue-hot': queueHot, gateway }).flatMap(([role, instance]) =>
      instance === null ? [] : [[role as RoleName, instance]],
    ),
  );
  return { modules, gateway, auth, catalog, signature };

  function remoteTransport(role: RoleName): InternalTransport {
    const url = remoteUrl(config, role) ?? missing(role);
    return httpTransport({ module: role, url, signature, clock, timeoutMs: config.remoteTimeoutMs });
  }
}

function queueStore({ redis }: OpenEngines, clock: Clock): QueueStore {
  return redis === null ? createMemoryStore({ clock }) : createRedisStore({ redis });
}

function originReports({ redis }: OpenEngines): OriginReports {
  return redis === null ? createOwnReports() : createRedisReports({ redis });
}

/** A gateway whose queue runs elsewhere meets it in the shared store: it learns which slots ended early, and tells of protected calls. */
function queueThroughRedis({ engines: { redis }, config, clock, logger }: ComposeOptions) {
  if (redis === null) return null;
  const store = createRedisStore({ redis });
  const { denied, job } = createDeniedEntries({ store, clock, logger });
  const { calls, jobs, stop } = createProtectedCallWatch({
    ...{ store, clock, logger },
    reports: createRedisReports({ redis }),
    config: queueConfig(config),
    loop: null,
  });
  return { deniedEntries: denied, protectedCalls: calls, jobs: [job, ...jobs], stop };
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

class RoleUnknown extends Error {}

function missing(role: RoleName): never {
  throw new RoleUnknown(
    `the role ${role} runs neither here nor at a configured address: add it to --roles or set its URL`,
  );
}

function durable({ database, bus }: OpenEngines): { database: Database; bus: BusEngine } {
  if (database === null || bus === null) throw new Error('this role needs PostgreSQL and the bus');
  return { database, bus };
}

function remotesOf(config: UrrConfig, roles: readonly RoleName[]) {
  const others = (Object.keys(modulesByRole) as RoleName[]).filter((role) => !roles.includes(role));
  return others.map((role) => ({ description: modulesByRole[role], url: remoteUrl(config, role) }));
}
