import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRedisStore, type QueueStore } from '#modules/queue/index.ts';
import { createRedis } from '#platform/redis/client.ts';
import type { Redis } from '#platform/redis/port.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { startPostgres } from '#test/kit/engines/postgres.ts';
import { startRedis } from '#test/kit/engines/redis.ts';
import { aShowOnSale } from '#test/kit/queue/show.ts';
import { testSecrets } from '#test/kit/secrets.ts';
import { addressOf, end, startWithinMs } from '../kit/child.ts';
import type { BareOrder } from './bare-server.ts';

export interface QueueStage {
  readonly folder: string;
  readonly eventId: string;
  readonly redis: Redis;
  readonly redisUrl: string;
  readonly store: QueueStore;
  /** Every role in one process; the role queue at a port of its own. */
  readonly whole: Served;
  readonly own: Served;
  startBare(order: Omit<BareOrder, 'redisUrl'>): Promise<Served>;
  stop(): Promise<void>;
}

export interface Served {
  readonly url: string;
  readonly pid: number;
}

const program = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const bareServer = fileURLToPath(new URL('./bare-server.ts', import.meta.url));
const outOfReach = '1000000000';

/** One event whose single slot is taken for a day, so that anyone who enters waits. */
export async function aQueueStage(): Promise<QueueStage> {
  const folder = await mkdtemp(join(tmpdir(), 'urr-bench-'));
  // Under root, PostgreSQL runs as another user, who must be able to pass through.
  await chmod(folder, 0o711);
  process.env.URR_TEST_SCRATCH ??= folder;
  const inFolder = async (name: string) => {
    const dir = join(folder, name);
    await mkdir(dir, { mode: 0o711 });
    return dir;
  };
  const children: ChildProcess[] = [];
  const postgres = await startPostgres({ dir: await inFolder('postgres') });
  const engine = await startRedis({ dir: await inFolder('redis'), args: ['--appendonly', 'no'] });
  const redis = createRedis({ url: engine.url, commandTimeoutMs: 30_000, logger: silentLogger });
  const env = {
    PATH: process.env.PATH ?? '',
    ...testSecrets,
    URR_MODE: 'test',
    URR_HOST: '127.0.0.1',
    URR_PORT: '0',
    URR_LOG_LEVEL: 'error',
    URR_DATABASE_URL: postgres.url,
    URR_REDIS_URL: engine.url,
    URR_QUEUE_THRESHOLD: '1',
    URR_QUEUE_ACTIVE_TTL_SECONDS: '86400',
    URR_QUEUE_SEEN_TTL_SECONDS: '86400',
    URR_QUEUE_ENTRY_TOKEN_TTL_SECONDS: '86400',
    ...Object.fromEntries(
      ['READ', 'POLL', 'WRITE', 'CHECK'].map((kind) => [`URR_RATE_${kind}_PER_MINUTE`, outOfReach]),
    ),
  };
  const serve = async (args: readonly string[], more: Record<string, string> = {}): Promise<Served> => {
    const child = spawn(process.execPath, [program, 'serve', ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...env, ...more },
    });
    children.push(child);
    return { url: await addressOf(child), pid: child.pid ?? 0 };
  };
  const stop = async () => {
    for (const child of children) await end(child);
    await redis.close();
    await engine.stop();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const whole = await serve([]);
    const peers = { URR_CATALOG_URL: whole.url, URR_AUTH_URL: whole.url };
    const own = await serve(['--roles', 'queue'], peers);
    const eventId = await aShowOnSale(whole.url);
    return {
      folder,
      eventId,
      redis,
      redisUrl: engine.url,
      store: createRedisStore({ redis }),
      whole,
      own,
      async startBare(order) {
        const child = fork(bareServer);
        children.push(child);
        child.send({ ...order, redisUrl: engine.url });
        const [url] = (await once(child, 'message', { signal: AbortSignal.timeout(startWithinMs) })) as [string];
        return { url, pid: child.pid ?? 0 };
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
