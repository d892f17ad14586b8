import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../faults.ts';
import type { Engine } from './engine.ts';
import { freePorts } from './ports.ts';
import { ask, type RedisEngine, startRedis, untilFollowing } from './redis.ts';

export interface RedisClusterEngine extends Engine {
  /** `127.0.0.1:7001,127.0.0.1:7002,…`, as URR_REDIS_CLUSTER takes it. */
  readonly addresses: string;
  /** The primaries as they were at the start, for faults that strike one node only. */
  readonly nodes: readonly RedisEngine[];
  /** `replicas[n]` follows `nodes[n]`, if any were asked for. None takes over by itself. */
  readonly replicas: readonly RedisEngine[];
}

export interface ClusterOptions {
  readonly dir: string;
  /** One for each primary. */
  readonly replicas?: boolean;
}

const primaryCount = 3;
const slotCount = 16_384;
const okWithinMs = 30_000;
const startsMax = 3;

/**
 * Three primaries on loopback that share the slots evenly, and a replica of each if asked for. Each listens on two ports,
 * so a start that finds one taken is tried again on others.
 */
export async function startRedisCluster(options: ClusterOptions): Promise<RedisClusterEngine> {
  const { ports, nodes: started } = await startNodes(options);
  const nodes = started.slice(0, primaryCount);
  const replicas = started.slice(primaryCount);
  await joinNodes(ports);
  await untilOk(ports);
  for (const [n, replica] of replicas.entries()) await follow(replica.port, nodes[n]);
  const all = (act: (node: RedisEngine) => Promise<void>) => Promise.all(started.map(act)).then(() => {});
  return {
    nodes,
    replicas,
    addresses: ports.map((port) => `127.0.0.1:${port}`).join(','),
    stop: () => all((node) => node.stop()),
    kill: () => all((node) => node.kill()),
    pause: () => all((node) => node.pause()),
    resume: () => all((node) => node.resume()),
    async restart() {
      await all((node) => node.restart());
      await untilOk(ports);
    },
  };
}

async function startNodes({ dir, replicas = false }: ClusterOptions) {
  for (let tried = 1; ; tried++) {
    const ports = await freePorts(replicas ? 2 * primaryCount : primaryCount);
    const started = await Promise.allSettled(ports.map((port) => startNode(dir, port)));
    const nodes = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const failure = started.find((one) => one.status === 'rejected');
    if (failure === undefined) return { ports, nodes };
    await Promise.all(nodes.map((node) => node.stop()));
    if (tried === startsMax) throw failure.reason;
  }
}

async function startNode(dir: string, port: number): Promise<RedisEngine> {
  const nodeDir = join(dir, String(port));
  await mkdir(nodeDir, { recursive: true });
  const args = [
    ...['--cluster-enabled', 'yes', '--cluster-config-file', 'nodes.conf', '--cluster-node-timeout', '2000'],
    // The slots of the other nodes are served while one is away, and a test says itself who takes over and when.
    ...['--cluster-require-full-coverage', 'no', '--cluster-replica-no-failover', 'yes'],
    ...['--repl-diskless-sync-delay', '0'],
  ];
  return startRedis({ dir: nodeDir, port, args });
}

async function joinNodes(ports: readonly number[]): Promise<void> {
  const [first, ...others] = ports;
  if (first === undefined) return;
  const share = Math.ceil(slotCount / primaryCount);
  for (const [index, port] of ports.entries()) {
    await ask(port, 'CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
    if (index >= primaryCount) continue;
    const last = Math.min((index + 1) * share, slotCount) - 1;
    await ask(port, 'CLUSTER', 'ADDSLOTSRANGE', index * share, last);
  }
  for (const port of others) await ask(port, 'CLUSTER', 'MEET', '127.0.0.1', first);
}

async function follow(port: number, primary: RedisEngine | undefined): Promise<void> {
  if (primary === undefined) throw new Error('a replica without a primary');
  const id = String(await ask(primary.port, 'CLUSTER', 'MYID'));
  await eventually(() => ask(port, 'CLUSTER', 'REPLICATE', id), {
    withinMs: okWithinMs,
    what: 'the primary to be known',
  });
  await untilFollowing(port);
}

/**
 * Every node must see every other and whose each slot is: a client may ask any of them for the map. One that serves a part of the
 * slots says that it is ok before it has heard of the rest.
 */
async function untilOk(ports: readonly number[]): Promise<void> {
  for (const port of ports) {
    await eventually(
      async () => {
        const info = String(await ask(port, 'CLUSTER', 'INFO'));
        const wanted = [
          'cluster_state:ok',
          `cluster_known_nodes:${ports.length}`,
          `cluster_slots_assigned:${slotCount}`,
        ];
        return wanted.every((line) => info.includes(line));
      },
      { withinMs: okWithinMs, what: `the Redis Cluster node on ${port} to report cluster_state:ok` },
    );
  }
}
