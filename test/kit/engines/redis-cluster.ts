import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../faults.ts';
import type { Engine } from './engine.ts';
import { freePorts } from './ports.ts';
import { ask, type RedisEngine, startRedis } from './redis.ts';

export interface RedisClusterEngine extends Engine {
  /** `127.0.0.1:7001,127.0.0.1:7002,…`, as URR_REDIS_CLUSTER takes it. */
  readonly addresses: string;
  /** For faults that strike one node only. */
  readonly nodes: readonly RedisEngine[];
}

const mastersMin = 3;
const slotCount = 16_384;
const okWithinMs = 30_000;
const startsMax = 3;

/**
 * Three masters on loopback that share the slots evenly. Each also listens 10,000 ports higher, where anybody's outgoing
 * connection may sit, so a start that finds a port taken is tried again on others.
 */
export async function startRedisCluster({ dir }: { dir: string }): Promise<RedisClusterEngine> {
  const { ports, nodes } = await startNodes(dir);
  await joinNodes(ports);
  await untilOk(ports);
  const all = (act: (node: RedisEngine) => Promise<void>) => Promise.all(nodes.map(act)).then(() => {});
  return {
    nodes,
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

async function startNodes(dir: string): Promise<{ ports: number[]; nodes: RedisEngine[] }> {
  for (let tried = 1; ; tried++) {
    const ports = await portsBelowBus();
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
  const args = ['--cluster-enabled', 'yes', '--cluster-config-file', 'nodes.conf', '--cluster-node-timeout', '2000'];
  return startRedis({ dir: nodeDir, port, args });
}

async function joinNodes(ports: readonly number[]): Promise<void> {
  const [first, ...others] = ports;
  if (first === undefined) return;
  const share = Math.ceil(slotCount / ports.length);
  for (const [index, port] of ports.entries()) {
    await ask(port, 'CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
    const last = Math.min((index + 1) * share, slotCount) - 1;
    await ask(port, 'CLUSTER', 'ADDSLOTSRANGE', index * share, last);
  }
  for (const port of others) await ask(port, 'CLUSTER', 'MEET', '127.0.0.1', first);
}

/** Every node must see every other: a client may ask any of them for the map. */
async function untilOk(ports: readonly number[]): Promise<void> {
  for (const port of ports) {
    await eventually(
      async () => {
        const info = String(await ask(port, 'CLUSTER', 'INFO'));
        return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${ports.length}`);
      },
      { withinMs: okWithinMs, what: `the Redis Cluster node on ${port} to report cluster_state:ok` },
    );
  }
}

/** A node's bus listens on its port + 10000, which must be a port too. */
async function portsBelowBus(): Promise<number[]> {
  const busOffset = 10_000;
  const portMax = 65_535 - busOffset;
  return eventually(
    async () => {
      const ports = (await freePorts(mastersMin * 4)).filter((port) => port <= portMax);
      return ports.length >= mastersMin && ports.slice(0, mastersMin);
    },
    { withinMs: 10_000, what: 'three free ports for a Redis Cluster' },
  );
}
