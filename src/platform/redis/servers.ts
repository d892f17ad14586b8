import { assert } from '../assert.ts';
import { keySlot, slotCount } from './hash-tag.ts';
import type { Redis } from './port.ts';
import { serverIdentity } from './scripts/scripts.generated.ts';

/**
 * Which server keeps a key. A server has another identity after a restart and after a fail-over, so a module that keeps
 * something in Redis alone can tell whether what it wrote may be lost.
 */
export interface RedisServers {
  /** Of the server that keeps this key. Fails if that one is a read replica: it answers questions, and keeps nothing. */
  identityOf(key: string): Promise<string>;
  /** All of them, with one question to each. Fails only if none answers, or if the only one is a read replica. */
  look(): Promise<ServersSeen>;
}

export interface ServersSeen {
  /** The identity of the server that keeps this key; null: it does not answer. */
  of(key: string): string | null;
  /** One of the servers has this identity. */
  has(identity: string): boolean;
  /** Of those that answered. */
  all(): readonly string[];
}

export function createRedisServers(options: { redis: Redis; replicaFault(identity: string): Error }): RedisServers {
  const { redis, replicaFault } = options;
  let layout: Layout | null = null;

  async function identityOf(key: string): Promise<string> {
    const { role, identity } = await serverIdentity(redis, { probe: key });
    if (role !== 'master') throw replicaFault(identity);
    return identity;
  }

  async function lookAtCluster(): Promise<ServersSeen> {
    layout = await readLayout(redis, layout);
    const { owners, probes } = layout;
    const identities = new Map<string, string>();
    const failures: unknown[] = [];
    await Promise.all(
      [...probes].map(async ([owner, probe]) => {
        const answer = await identityOf(probe).catch((error: unknown) => void failures.push(error));
        if (answer !== undefined) identities.set(owner, answer);
      }),
    );
    if (identities.size === 0) throw failures[0] ?? new Error('the cluster has no primary');
    const present = new Set(identities.values());
    return {
      of: (key) => identities.get(owners[keySlot(key)] ?? '') ?? null,
      has: (identity) => present.has(identity),
      all: () => [...present],
    };
  }

  async function lookAtOne(): Promise<ServersSeen> {
    const only = await identityOf('{identity}');
    return { of: () => only, has: (identity) => identity === only, all: () => [only] };
  }

  return { identityOf, look: redis.kind === 'cluster' ? lookAtCluster : lookAtOne };
}

/** How the slots are shared, and for each primary a key that it owns: a command without a key goes to any node. */
interface Layout {
  readonly text: string;
  /** By slot. */
  readonly owners: readonly string[];
  readonly probes: ReadonlyMap<string, string>;
}

async function readLayout(redis: Redis, known: Layout | null): Promise<Layout> {
  const rows = await redis.command('CLUSTER', 'SLOTS');
  assert(Array.isArray(rows), 'CLUSTER SLOTS answered without a list');
  const ranges = rows.map((row) => {
    const [from, to, primary] = row as [number, number, [string, number, string]];
    return { from, to, owner: primary[2] };
  });
  ranges.sort((a, b) => a.from - b.from);
  const text = JSON.stringify(ranges);
  if (known?.text === text) return known;
  const owners = new Array<string>(slotCount).fill('');
  for (const { from, to, owner } of ranges) owners.fill(owner, from, to + 1);
  return { text, owners, probes: findProbes(owners) };
}

/** Keys that are tried: enough to meet every slot, and so every primary, with near certainty. */
const probesMax = 20 * slotCount;

function findProbes(owners: readonly string[]): Map<string, string> {
  const wanted = new Set(owners);
  wanted.delete('');
  const probes = new Map<string, string>();
  for (let n = 0; n < probesMax && probes.size < wanted.size; n++) {
    const probe = `{identity-${n}}`;
    const owner = owners[keySlot(probe)];
    if (owner && !probes.has(owner)) probes.set(owner, probe);
  }
  return probes;
}
