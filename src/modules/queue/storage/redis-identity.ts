import { assert } from '#platform/assert.ts';
import { keySlot, slotCount } from '#platform/redis/hash-tag.ts';
import type { Redis } from '#platform/redis/port.ts';
import { type QueueStore, StoreIsReplica } from '../ports.ts';
import { serverIdentity } from '../scripts/scripts.generated.ts';
import { eventKeys, trialKey } from './redis-keys.ts';

const trialMs = 1_000;

/** Which server keeps an event, and which servers there are. */
export function createIdentity(
  redis: Redis,
): Pick<QueueStore, 'identity' | 'proveWritable' | 'servers' | 'connection' | 'reconnect'> {
  const identity = (eventId: string) => primaryOf(redis, eventKeys(eventId).meta);
  const connection = (eventId: string) => redis.connection(eventKeys(eventId).meta);
  const proveWritable = async (eventId: string) =>
    void (await redis.command('SET', trialKey(eventId), '', 'PX', trialMs));
  const shared = { identity, proveWritable, connection, reconnect: redis.reconnect };
  if (redis.kind === 'cluster') return { ...shared, servers: createClusterServers(redis) };
  return {
    ...shared,
    async servers() {
      const only = await primaryOf(redis, '{identity}');
      return { of: () => only, has: (identity) => identity === only, all: () => [only] };
    },
  };
}

/** A read replica answers questions as a primary does, and takes no writes: it keeps no event. */
async function primaryOf(redis: Redis, probe: string): Promise<string> {
  const { role, identity } = await serverIdentity(redis, { probe });
  if (role !== 'master') throw new StoreIsReplica(identity);
  return identity;
}

/** How the slots are shared, and for each primary a key that it owns: a command without a key goes to any node. */
interface Layout {
  readonly text: string;
  /** By slot. */
  readonly owners: readonly string[];
  readonly probes: ReadonlyMap<string, string>;
}

function createClusterServers(redis: Redis): QueueStore['servers'] {
  let known: Layout | null = null;
  return async () => {
    known = await readLayout(redis, known);
    const { owners, probes } = known;
    const identities = new Map<string, string>();
    const failures: unknown[] = [];
    await Promise.all(
      [...probes].map(async ([owner, probe]) => {
        const answer = await primaryOf(redis, probe).catch((error: unknown) => void failures.push(error));
        if (answer !== undefined) identities.set(owner, answer);
      }),
    );
    if (identities.size === 0) throw failures[0] ?? new Error('the cluster has no primary');
    const present = new Set(identities.values());
    return {
      of: (eventId) => identities.get(owners[keySlot(eventKeys(eventId).meta)] ?? '') ?? null,
      has: (identity) => present.has(identity),
      all: () => [...present],
    };
  };
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
