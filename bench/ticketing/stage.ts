import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Database } from '#platform/postgres/database.ts';
import { startEmbeddedPostgres } from '#platform/postgres/embedded/start.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { startRedis } from '#test/kit/engines/redis.ts';
import { testSecrets } from '#test/kit/secrets.ts';
import { addressOf, end, startWithinMs } from '../kit/child.ts';
import type { BareOrder } from './bare-server.ts';
import { createShows, type Shows } from './shows.ts';

export interface Served {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

export interface TicketingStage {
  readonly folder: string;
  readonly database: Database;
  /** The role ticketing, alone in its process. */
  readonly own: Served;
  startOwn(env: Readonly<Record<string, string>>): Promise<Served>;
  startBare(order: Omit<BareOrder, 'databaseUrl' | 'redisUrl'>): Promise<Served>;
  stop(): Promise<void>;
}

const program = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const bareServer = fileURLToPath(new URL('./bare-server.ts', import.meta.url));
const bareTables = new URL('./bare.sql', import.meta.url);
const outOfReach = '1000000000';

/**
 * PostgreSQL as the program runs it itself, with fsync; Redis; ticketing; and what `make` puts on sale. Anyone who makes the events (gateway,
 * auth, catalog, queue) is gone when this resolves, so that nothing else uses the cores.
 */
export async function aTicketingStage<Made>(
  make: (shows: Shows) => Promise<Made>,
): Promise<{ stage: TicketingStage; made: Made }> {
  const folder = await mkdtemp(join(tmpdir(), 'urr-bench-'));
  // Under root, PostgreSQL runs as another user, who must be able to pass through.
  await chmod(folder, 0o711);
  process.env.URR_TEST_SCRATCH ??= folder;
  const stops: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })];
  const stop = async () => {
    for (const each of stops.splice(0).reverse()) await each();
  };
  const track = (child: ChildProcess) => {
    const ending = () => end(child);
    stops.push(ending);
    return ending;
  };
  try {
    const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), logger: silentLogger });
    stops.push(() => postgres.stop());
    await mkdir(join(folder, 'redis'));
    const redis = await startRedis({ dir: join(folder, 'redis'), args: ['--appendonly', 'no'] });
    stops.push(() => redis.stop());
    const base = {
      PATH: process.env.PATH ?? '',
      ...testSecrets,
      ...{ URR_MODE: 'test', URR_HOST: '127.0.0.1', URR_PORT: '0', URR_LOG_LEVEL: 'error' },
      ...{ URR_DATABASE_URL: postgres.url, URR_REDIS_URL: redis.url, URR_RATE_WRITE_PER_MINUTE: outOfReach },
    };
    const serve = async (roles: string, env: Readonly<Record<string, string>> = {}): Promise<Served> => {
      const child = spawn(process.execPath, [program, 'serve', '--roles', roles], {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { ...base, ...env },
      });
      const ending = track(child);
      return { url: await addressOf(child), pid: child.pid ?? 0, stop: ending };
    };
    // Nobody buys through it, so ticketing's address may be anything.
    const front = await serve('gateway,auth,catalog,queue', { URR_TICKETING_URL: 'http://127.0.0.1:9' });
    const startOwn: TicketingStage['startOwn'] = (env) =>
      serve('ticketing', { URR_CATALOG_URL: front.url, URR_QUEUE_URL: front.url, ...env });
    const own = await startOwn({});
    const database = createDatabase({ url: postgres.url, poolMax: 2, statementTimeoutMs: 120_000 });
    stops.push(() => database.close());
    await database.query(await readFile(bareTables, 'utf8'));
    const made = await make(createShows({ url: front.url, database }));
    await front.stop();
    await database.query('CHECKPOINT');
    const stage: TicketingStage = {
      ...{ folder, database, own, startOwn, stop },
      async startBare(order) {
        const child = fork(bareServer);
        const ending = track(child);
        child.send({ ...order, databaseUrl: postgres.url, redisUrl: redis.url });
        const [url] = (await once(child, 'message', { signal: AbortSignal.timeout(startWithinMs) })) as [string];
        return { url, pid: child.pid ?? 0, stop: ending };
      },
    };
    return { stage, made };
  } catch (error) {
    await stop();
    throw error;
  }
}
