import { Redis } from 'ioredis';
import type { Engine } from './engine.ts';
import { createEngine } from './engine-process.ts';
import { freePort } from './ports.ts';

export interface RedisEngine extends Engine {
  readonly url: string;
  readonly port: number;
}

export interface RedisOptions {
  readonly dir: string;
  readonly port?: number;
  readonly args?: readonly string[];
}

/** Appends every write to disk before it answers, so that stop and kill lose nothing. */
export async function startRedis(options: RedisOptions): Promise<RedisEngine> {
  const port = options.port ?? (await freePort());
  const engine = await createEngine({
    name: 'redis',
    command: 'redis-server',
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

/** One command on a connection of its own. */
export async function ask(port: number, command: string, ...args: (string | number)[]): Promise<unknown> {
  const client = new Redis({
    host: '127.0.0.1',
    port,
    lazyConnect: true,
    retryStrategy: () => null,
    connectTimeout: 2_000,
    commandTimeout: 2_000,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return await client.call(command, ...args);
  } finally {
    client.disconnect();
  }
}
