import { Cluster, Redis as Connection, type RedisOptions } from 'ioredis';
import { platformErrors } from '../errors.ts';
import { withTimeout } from '../resilience/timeout.ts';
import type { Logger } from '../telemetry/logger.ts';
import { Call } from './call.ts';
import { isForgottenScript, isReadOnly, isUnavailable } from './failure.ts';
import { assertOneSlot, keySlot } from './hash-tag.ts';
import { createPatience } from './patience.ts';
import type { Redis } from './port.ts';

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
/** For so long a new connection is hoped to lead from a former primary to the present one. */
const readOnlyWaitMs = 500;

/** Connects in the background: a server that is away at start is treated like one that goes away later. */
export function createRedis(options: RedisClientOptions): Redis {
  const { commandTimeoutMs, observe } = options;
  const patience = createPatience({ limitMs: commandTimeoutMs });
  /** By address, how often a connection was made. */
  const made = new Map<string, number>();
  const isReady = (address: string) => {
    made.set(address, (made.get(address) ?? 0) + 1);
    patience.wake();
  };
  const connection = options.clusterNodes
    ? connectCluster(options, options.clusterNodes, isReady)
    : connectOne(options, isReady);
  const transitions = logTransitions(connection, options.logger);

  /**
   * Sends what `make` makes, again as long as that does no harm and the gap is short. `whenForgotten` is sent instead
   * when the server does not know the script.
   */
  async function perform(deadlineMs: number, make: () => Call, whenForgotten: (() => Call) | null): Promise<unknown> {
    let next = make;
    let refusedFromMs = Number.POSITIVE_INFINITY;
    for (;;) {
      const call = next();
      try {
        const answer = await connection.sendCommand(call);
        patience.answered(serverOf(connection, call));
        return answer;
      } catch (error) {
        // A restarted, flushed or newly promoted server does not know the script. EVAL runs and keeps it in one step,
        // on the very node that owns the keys; nothing has run before, so this is no repetition.
        if (whenForgotten !== null && next === make && isForgottenScript(error)) next = whenForgotten;
        else if (!call.mayBeRepeated(error)) throw error;
        else if (isReadOnly(error) && performance.now() - refusedFromMs > readOnlyWaitMs) throw error;
        else if (!(await patience.nextTry(serverOf(connection, call), deadlineMs))) throw error;
        if (isReadOnly(error)) refusedFromMs = Math.min(refusedFromMs, performance.now());
      }
    }
  }

  async function bounded(name: string, make: () => Call, whenForgotten: (() => Call) | null = null): Promise<unknown> {
    const startedAt = performance.now();
    let outcome: RedisCall['outcome'] = 'ok';
    try {
      return await withTimeout(
        perform(startedAt + commandTimeoutMs, make, whenForgotten),
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

  return {
    kind: options.clusterNodes ? 'cluster' : 'standalone',
    runScript(script, keys, args) {
      assertOneSlot(script.name, keys);
      const [bySha, bySource] = script.readOnly ? ['evalsha_ro', 'eval_ro'] : ['evalsha', 'eval'];
      return bounded(
        script.name,
        () => new Call(bySha, [script.sha, keys.length, ...keys, ...args], script.readOnly),
        () => new Call(bySource, [script.source, keys.length, ...keys, ...args], script.readOnly),
      );
    },
    command: (name, ...args) => bounded(name, () => new Call(name, args)),
    async ping() {
      await bounded('ping', () => new Call('ping', []));
    },
    connection(key) {
      const address = connection instanceof Cluster ? ownerOf(connection, keySlot(key)) : onlyServer;
      return `${address} ${made.get(address) ?? 0}`;
    },
    reconnect() {
      if (connection instanceof Connection) connection.disconnect(true);
    },
    async close() {
      transitions.expectEnd();
      const ended = new Promise<void>((resolve) => connection.once('end', resolve));
      await withTimeout(connection.quit(), closeTimeoutMs, () => new Error('no answer to QUIT')).catch(() => undefined);
      if (connection.status === 'end') return;
      connection.disconnect();
      await withTimeout(ended, closeTimeoutMs, () => new Error('the connection does not end')).catch(() => undefined);
    },
  };
}

const onlyServer = 'the server';

/** Whose outage it is when the call fails. */
function serverOf(connection: Connection | Cluster, call: Call): string {
  return connection instanceof Cluster ? ownerOf(connection, call.getSlot()) : onlyServer;
}

/** `host:port` of the node that serves this slot now. A call without a key has no slot and may go to any node. */
function ownerOf(cluster: Cluster, slot: number): string {
  return cluster.slots[slot]?.[0] ?? 'any node';
}

function connectOne(options: RedisClientOptions, onReady: (address: string) => void): Connection {
  if (options.url === undefined) throw new Error('createRedis needs a url or clusterNodes');
  const connection = new Connection(options.url, {
    ...connectionOptions(options),
    enableOfflineQueue: false,
    retryStrategy: reconnectDelay,
  });
  return connection.on('ready', () => onReady(onlyServer));
}

function connectCluster(
  options: RedisClientOptions,
  nodes: readonly string[],
  onReady: (address: string) => void,
): Cluster {
  const addresses = nodes.map((node) => new URL(node.includes('://') ? node : `redis://${node}`));
  const first = addresses[0];
  if (first === undefined) throw new Error('createRedis got an empty list of cluster nodes');
  const cluster = new Cluster(
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
      retryDelayOnClusterDown: 0,
      slotsRefreshInterval: clusterRefreshMs,
      slotsRefreshTimeout: options.commandTimeoutMs,
    },
  );
  keepConnected(cluster, onReady);
  return cluster;
}

/**
 * The client opens a node's connection with the first call to it and refuses the others until it is there. Here every
 * primary is connected as soon as it is known, and no call is parked on a connection that may never come.
 */
function keepConnected(cluster: Cluster, onReady: (address: string) => void): void {
  const connect = (node: Connection) => {
    if (node.status === 'wait' && node.options.readOnly !== true) node.connect().catch(() => undefined);
  };
  cluster.on('+node', (node: Connection) => {
    node.on('ready', () => onReady(`${node.options.host}:${node.options.port}`));
    // Before that the client's own check of the cluster needs a node that is not yet connecting.
    if (cluster.status === 'ready') connect(node);
  });
  cluster.on('ready', () => cluster.nodes('master').forEach(connect));
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
function logTransitions(connection: Connection | Cluster, logger: Logger): { expectEnd(): void } {
  let away = false;
  let ending = false;
  const left = (error?: unknown) => {
    if (away || ending) return;
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
  return {
    /** It is being closed on purpose, and what closes is not away. */
    expectEnd() {
      ending = true;
    },
  };
}
