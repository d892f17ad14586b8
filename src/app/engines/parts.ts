import type { BusEngine } from '#platform/bus/port.ts';
import type { Clock } from '#platform/clock.ts';
import type { Ids } from '#platform/ids.ts';
import type { Part } from '#platform/lifecycle/graph.ts';
import type { ReadinessCheck } from '#platform/module.ts';
import type { Database } from '#platform/postgres/database.ts';
import { takeExclusiveLock } from '#platform/postgres/exclusive-lock.ts';
import { migrate, schemaProblem } from '#platform/postgres/migrate.ts';
import type { Redis } from '#platform/redis/port.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import type { Metrics } from '#platform/telemetry/metrics.ts';
import type { UrrConfig } from '../config.ts';
import { migrationSets } from '../migrations.ts';
import { type Engine, type RoleName, roleDefinitions } from '../roles.ts';
import { openBus } from './bus.ts';
import { openPostgres } from './postgres.ts';
import { openRedis } from './redis.ts';
import { waitForEngine } from './wait.ts';

/** What is open now. An engine that no role of this process needs stays null. */
export interface OpenEngines {
  database: Database | null;
  redis: Redis | null;
  bus: BusEngine | null;
  /** Why this process will not be ready however long one waits; null: no such reason was found at start. */
  schemaProblem: string | null;
}

export interface EngineParts {
  readonly open: OpenEngines;
  readonly parts: readonly Part[];
  readonly checks: readonly ReadinessCheck[];
}

/** Any number; all processes on one database agree on it. */
const inProcessStoreLock = 7_277_002;

class StoreTaken extends Error {
  constructor() {
    super(
      'another process keeps its state in memory on this database, so a second one would count apart from it. ' +
        'Set URR_REDIS_URL (or URR_REDIS_CLUSTER) for both, or stop the other one.',
    );
  }
}

export function createEngineParts(options: {
  config: UrrConfig;
  roles: readonly RoleName[];
  logger: Logger;
  clock: Clock;
  ids: Ids;
  metrics: Metrics;
  onFatal: (reason: string) => void;
}): EngineParts {
  const { config, logger, clock, ids, metrics, onFatal } = options;
  const needed = new Set<Engine>(options.roles.flatMap((role) => roleDefinitions[role].needs));
  const open: OpenEngines = { database: null, redis: null, bus: null, schemaProblem: null };
  const parts: Part[] = [];
  const checks: ReadinessCheck[] = [];
  const hasRedis = config.redisUrl !== null || config.redisCluster.length > 0;
  // A gateway alone needs no database but for the lock, and starts none of its own for that.
  const hasPostgres = needed.has('postgres') || needed.has('bus') || (config.databaseUrl !== null && !hasRedis);

  if (hasPostgres) parts.push(postgresPart());
  if (needed.has('store')) parts.push(hasRedis ? redisPart() : memoryPart());
  if (needed.has('bus')) parts.push(busPart());
  return { open, parts, checks };

  function postgresPart(): Part {
    let close: (() => Promise<void>) | undefined;
    let migrated = false;
    checks.push({
      name: 'postgres',
      check: async () => {
        if (open.database === null) throw new Error('not open');
        await open.database.ping();
        if (migrated) return;
        const problem = await schemaProblem(open.database, migrationSets);
        if (problem !== null) throw new Error(problem);
        migrated = true;
      },
    });
    return {
      name: 'postgres',
      needs: [],
      async start() {
        const opened = await openPostgres({ config, logger, metrics });
        close = opened.close;
        try {
          const { database } = opened;
          await waitForEngine({
            name: 'PostgreSQL',
            ping: () => database.ping(),
            limitSeconds: config.bootWaitSeconds,
            logger,
          });
          if (config.migrateOnStart) await migrate(database, migrationSets);
          open.schemaProblem = await schemaProblem(database, migrationSets);
          if (open.schemaProblem !== null) logger.error({ reason: open.schemaProblem }, 'this process is not ready');
          open.database = database;
        } catch (error) {
          await close();
          throw error;
        }
      },
      stop: async () => close?.(),
    };
  }

  function redisPart(): Part {
    checks.push({ name: 'redis', check: async () => open.redis?.ping() });
    return {
      name: 'store',
      needs: [],
      async start() {
        // Not waited for: without Redis rate limits are counted in this process until it is there.
        open.redis = openRedis({ config, logger, metrics });
      },
      stop: async () => open.redis?.close(),
    };
  }

  /** The store is this process's memory: hold the lock that says so, where there is a database to hold it in. */
  function memoryPart(): Part {
    let release: (() => Promise<void>) | undefined;
    return {
      name: 'store',
      needs: hasPostgres ? ['postgres'] : [],
      async start() {
        if (open.database === null) return;
        const lock = await takeExclusiveLock(open.database, {
          key: inProcessStoreLock,
          name: 'in-process store',
          logger,
          onLost: () => onFatal(new StoreTaken().message),
        });
        if (lock === null) throw new StoreTaken();
        release = () => lock.release();
      },
      stop: async () => release?.(),
    };
  }

  function busPart(): Part {
    checks.push({ name: 'bus', check: async () => open.bus?.ping() });
    return {
      name: 'bus',
      needs: ['postgres'],
      async start() {
        if (open.database === null) throw new Error('the bus needs PostgreSQL');
        const bus = await openBus({ config, database: open.database, clock, ids, logger, metrics });
        await waitForEngine({
          name: 'the event bus',
          ping: () => bus.start(),
          limitSeconds: config.bootWaitSeconds,
          logger,
        }).catch(async (error: unknown) => {
          // Its connections to the broker would keep a process that could not start from ending.
          await bus.stop();
          throw error;
        });
        open.bus = bus;
      },
      stop: async () => open.bus?.stop(),
    };
  }
}
