import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createDatabase } from '#platform/postgres/pool.ts';
import { createRedis } from '#platform/redis/client.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { startPostgres } from '#test/kit/engines/postgres.ts';
import { startRedis } from '#test/kit/engines/redis.ts';
import { aShowOnSale, aSignedIn } from '#test/kit/queue/show.ts';
import { testSecrets } from '#test/kit/secrets.ts';
import { addressOf, end, startWithinMs } from '../kit/child.ts';
import type { BareOrder } from './bare-server.ts';

export interface RoomStage {
  readonly folder: string;
  readonly redisUrl: string;
  /** Every role in one process, with counters in Redis, and with counters of its own. */
  readonly onRedis: ServedRoom;
  readonly alone: ServedRoom;
  /** Of all keys. */
  bytesInRedis(): Promise<number>;
  startBare(order: BareOrder): Promise<string>;
  stop(): Promise<void>;
}

/** A room that is on and stands still. */
export interface ServedRoom {
  readonly url: string;
  readonly eventId: string;
}

const program = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const bareServer = fileURLToPath(new URL('./bare-server.ts', import.meta.url));
const outOfReach = '1000000000';

export async function aRoomStage(): Promise<RoomStage> {
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
  const serve = async (databaseUrl: string, more: Record<string, string>): Promise<ServedRoom> => {
    const child = spawn(process.execPath, [program, 'serve'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...{ PATH: process.env.PATH ?? '', ...testSecrets, URR_MODE: 'test', URR_HOST: '127.0.0.1', URR_PORT: '0' },
        ...{ URR_LOG_LEVEL: 'error', URR_DATABASE_URL: databaseUrl },
        ...{ URR_RATE_WATCH_PER_MINUTE: outOfReach, URR_RATE_ASSIGN_PER_MINUTE: outOfReach, ...more },
      },
    });
    children.push(child);
    const url = await addressOf(child);
    const eventId = await aShowOnSale(url);
    await operate(url, 'POST', `activate/${eventId}`);
    await operate(url, 'POST', `pause/${eventId}`);
    return { url, eventId };
  };
  const stop = async () => {
    for (const child of children) await end(child);
    await redis.close();
    await engine.stop();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    return {
      folder,
      redisUrl: engine.url,
      onRedis: await serve(await aDatabaseOf(postgres.url, 'on_redis'), { URR_REDIS_URL: engine.url }),
      alone: await serve(await aDatabaseOf(postgres.url, 'alone'), {}),
      async bytesInRedis() {
        const keys = await redis.command('KEYS', '*:waiting-room*');
        const sizes = Array.isArray(keys) ? keys.map((key) => redis.command('MEMORY', 'USAGE', String(key))) : [];
        return (await Promise.all(sizes)).reduce((sum: number, size) => sum + Number(size), 0);
      },
      async startBare(order) {
        const child = fork(bareServer);
        children.push(child);
        child.send(order);
        const [url] = (await once(child, 'message', { signal: AbortSignal.timeout(startWithinMs) })) as [string];
        return url;
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function aDatabaseOf(serverUrl: string, name: string): Promise<string> {
  const database = createDatabase({ url: serverUrl, poolMax: 1 });
  await database.query(`CREATE DATABASE ${name}`);
  await database.close();
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.toString();
}

async function operate(url: string, method: string, path: string): Promise<void> {
  const headers = { authorization: `Bearer ${aSignedIn('operator').accessToken}`, 'content-type': 'application/json' };
  const answer = await fetch(`${url}/api/admin/vwr/${path}`, { method, headers, body: '{}' });
  if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`);
}
