import { Redis } from 'ioredis';
import { eventually } from '../faults.ts';
import type { Engine } from './engine.ts';
import { createEngine } from './engine-process.ts';
import { freePort } from './ports.ts';

export interface RedisEngine extends Engine {
  readonly url: string;
  readonly port: number;
}

const followWithinMs = 30_000;

export interface RedisOptions {
  readonly dir: string;
  readonly port?: number;
  readonly args?: readonly string[];
}

/** `URR_TEST_REDIS_SERVER` names another server that speaks the same, such as a `valkey-server`. */
const serverCommand = process.env.URR_TEST_REDIS_SERVER ?? 'redis-server';

/** Appends every write to disk before it answers, so that stop and kill lose nothing. */
export async function startRedis(options: RedisOptions): Promise<RedisEngine> {
  const port = options.port ?? (await freePort());
  const engine = await createEngine({
    name: 'redis',
    command: serverCommand,
    args: [
      ...['--port', String(port), '--bind', '127.0.0.1', '--dir', options.dir],
      ...['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''],
      ...['--set-proc-title', 'no', '--daemonize', 'no'],
      ...(options.args ?? []),
    ],
    dir: options.dir,
    ready: () => ask(port, 'PING'),
  });
  return { ...engine, port, url: `redis://127.0.0.1:${port}` };
}

/** A copy that follows the primary. It has everything that the primary had when this resolves. */
export async function startReplica(options: RedisOptions & { primary: RedisEngine }): Promise<RedisEngine> {
  const follow = ['--replicaof', '127.0.0.1', String(options.primary.port)];
  // By default a primary waits five seconds for more replicas before it sends its data.
  await ask(options.primary.port, 'CONFIG', 'SET', 'repl-diskless-sync-delay', 0);
  const replica = await startRedis({ ...options, args: ['--appendonly', 'no', ...follow, ...(options.args ?? [])] });
  await untilFollowing(replica.port);
  return replica;
}

/** It keeps what it has and misses what comes now, as behind a broken network: its attempts to follow again are refused. */
export async function cutOff(replica: RedisEngine, primary: RedisEngine): Promise<void> {
  await ask(replica.port, 'CONFIG', 'SET', 'masterauth', 'a password that the primary does not know');
  await ask(primary.port, 'CLIENT', 'KILL', 'TYPE', 'replica');
  await eventually(async () => !String(await ask(primary.port, 'INFO', 'replication')).includes('state=online'), {
    withinMs: followWithinMs,
    what: `the Redis on ${replica.port} to be cut off`,
  });
}

export async function untilFollowing(port: number): Promise<void> {
  await eventually(async () => String(await ask(port, 'INFO', 'replication')).includes('master_link_status:up'), {
    withinMs: followWithinMs,
    what: `the Redis on ${port} to follow its primary`,
  });
}

/** One command on a connection of its own. */
export async function ask(port: number, command: string, ...args: (string | number)[]): Promise<unknown> {
  const client = new Redis({
    host: '127.0.0.1',
    port,
    lazyConnect: true,
    retryStrategy: () => null,
    connectTimeout: 10_000,
    commandTimeout: 10_000,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return await client.call(command, ...args);
  } finally {
    client.disconnect();
  }
}
