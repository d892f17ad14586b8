import { Cluster, Redis as Connection, type RedisOptions } from 'ioredis';
import { platformErrors } from '../errors.ts';
import { withTimeout } from '../resilience/timeout.ts';
import type { Logger } from '../telemetry/logger.ts';
import { isUnavailable } from './failure.ts';
import { assertOneSlot } from './hash-tag.ts';
import type { LuaScript, Redis } from './port.ts';

export interface RedisClientOptions {
  /** `redis://[user:password@]host:port[/db]` or `rediss://…`. Give this or `clusterNodes`. */
  readonly url?: string;
  /** `host:port` or `redis://user:password@host:port` of some nodes; the others are found through them. */
  readonly clusterNodes?: readonly string[];
  readonly commandTimeoutMs: number;
  readonly logger: Logger;
  /** Called once per call, for metrics. */
  readonly observe?: (call: RedisCall) => void;
}

export interface RedisCall {
  /** The command or the script's name. */
  readonly name: string;
  readonly ms: number;
  readonly outcome: 'ok' | 'unavailable' | 'refused';
}

const reconnectDelayMinMs = 50;
const reconnectDelayMaxMs = 1_000;
const clusterRedirectionsMax = 5;
const clusterRefreshMs = 5_000;
const closeTimeoutMs = 1_000;

/** Connects in the background: a server that is away at start is treated like one that goes away later. */
export function createRedis(options: RedisClientOptions): Redis {
  const { commandTimeoutMs, observe } = options;
  const connection = options.clusterNodes ? connectCluster(options, options.clusterNodes) : connectOne(options);
  logTransitions(connection, options.logger);
  let connecting = true;
  const firstConnection = settleOnce(connection, commandTimeoutMs).then(() => {
    connecting = false;
  });

  /**
   * The first callers may come before the first connection and wait for it, but only as long as one call may take:
   * held any longer they would pile up while the server is away, and all run when it comes, long after they were refused.
   */
  async function perform(send: () => Promise<unknown>): Promise<unknown> {
    if (connecting) await firstConnection;
    return await send();
  }

  async function bounded(name: string, send: () => Promise<unknown>): Promise<unknown> {
    const startedAt = observe ? performance.now() : 0;
    let outcome: RedisCall['outcome'] = 'ok';
    try {
      return await withTimeout(
        perform(send),
        commandTimeoutMs,
        () => new Error(`${name}: no answer in ${commandTimeoutMs} ms`),
      );
    } catch (error) {
      outcome = isUnavailable(error) ? 'unavailable' : 'refused';
      if (outcome === 'refused') throw error;
      throw platformErrors.fault('STORE_UNAVAILABLE', { cause: error });
    } finally {
      observe?.({ name, ms: performance.now() - startedAt, outcome });
    }
  }

  async function evaluate(script: LuaScript, keys: readonly string[], args: readonly (string | number | Buffer)[]) {
    const [bySha, bySource] = script.readOnly ? ['evalsha_ro', 'eval_ro'] : ['evalsha', 'eval'];
    try {
      return await connection.call(bySha, [script.sha, keys.length, ...keys, ...args]);
    } catch (error) {
      // A restarted, flushed or newly promoted server does not know the script. EVAL runs and keeps it in one step,
      // on the very node that owns the keys; nothing has run before, so this is no repetition.
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return await connection.call(bySource, [script.source, keys.length, ...keys, ...args]);
    }
  }

  return {
    kind: options.clusterNodes ? 'cluster' : 'standalone',
    runScript(script, keys, args) {
      assertOneSlot(script.name, keys);
      return bounded(script.name, () => evaluate(script, keys, args));
    },
    command: (name, ...args) => bounded(name, () => connection.call(name, args)),
    async ping() {
      await bounded('ping', () => connection.call('ping'));
    },
    async close() {
      await withTimeout(connection.quit(), closeTimeoutMs, () => new Error('no answer to QUIT')).catch(() => undefined);
      connection.disconnect();
    },
  };
}

function settleOnce(connection: Connection | Cluster, limitMs: number): Promise<void> {
  return new Promise((resolve) => {
    const limit = setTimeout(resolve, limitMs);
    connection.once('ready', () => {
      clearTimeout(limit);
      resolve();
    });
  });
}

function connectOne(options: RedisClientOptions): Connection {
  if (options.url === undefined) throw new Error('createRedis needs a url or clusterNodes');
  return new Connection(options.url, {
    ...connectionOptions(options),
    enableOfflineQueue: false,
    retryStrategy: reconnectDelay,
  });
}

function connectCluster(options: RedisClientOptions, nodes: readonly string[]): Cluster {
  const addresses = nodes.map((node) => new URL(node.includes('://') ? node : `redis://${node}`));
  const first = addresses[0];
  if (first === undefined) throw new Error('createRedis got an empty list of cluster nodes');
  return new Cluster(
    addresses.map((address) => ({ host: unbracketed(address.hostname), port: Number(address.port || 6379) })),
    {
      redisOptions: {
        ...connectionOptions(options),
        ...(first.username !== '' && { username: decodeURIComponent(first.username) }),
        ...(first.password !== '' && { password: decodeURIComponent(first.password) }),
        ...(first.protocol === 'rediss:' && { tls: {} }),
      },
      enableOfflineQueue: false,
      clusterRetryStrategy: reconnectDelay,
      maxRedirections: clusterRedirectionsMax,
      // 0: a command whose connection broke is not sent again, for it may have run. MOVED, ASK and TRYAGAIN are followed.
      retryDelayOnFailover: 0,
      slotsRefreshInterval: clusterRefreshMs,
      slotsRefreshTimeout: options.commandTimeoutMs,
    },
  );
}

function connectionOptions({ commandTimeoutMs }: RedisClientOptions) {
  return {
    connectTimeout: commandTimeoutMs,
    // A server that takes bytes and never answers is dropped, so that what is queued on the socket stays bounded.
    socketTimeout: 2 * commandTimeoutMs,
    maxRetriesPerRequest: 0,
    // A script that may have run must not run twice because its answer was lost.
    autoResendUnfulfilledCommands: false,
    // After a failover a former primary answers READONLY; a new connection finds the new one.
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
    connectionName: 'urr',
  } satisfies RedisOptions;
}

function reconnectDelay(attempt: number): number {
  return Math.min(reconnectDelayMinMs * 2 ** Math.min(attempt - 1, 10), reconnectDelayMaxMs);
}

function unbracketed(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** One line when it goes and one when it is back, not one per attempt. */
function logTransitions(connection: Connection | Cluster, logger: Logger): void {
  let away = false;
  const left = (error?: unknown) => {
    if (away) return;
    away = true;
    logger.warn({ err: error }, 'redis is away');
  };
  // Without a listener an 'error' event would end the process.
  connection.on('error', left);
  connection.on('close', () => left());
  connection.on('ready', () => {
    if (away) logger.info('redis is back');
    away = false;
  });
}
