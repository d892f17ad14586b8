import { assert } from '#platform/assert.ts';
import type { Redis } from '#platform/redis/port.ts';
import { serverIdentity } from '../scripts/scripts.generated.ts';

const probesMax = 2_000;

/**
 * Which servers are the primaries. On a Cluster each is asked through a key that it owns: a command without a key
 * goes to any node, and would seem to change with every call.
 */
export function createIdentity(redis: Redis): () => Promise<string> {
  if (redis.kind === 'standalone') return () => serverIdentity(redis, { probe: '{identity}' });
  let known: { readonly layout: string; readonly probes: readonly string[] } | null = null;

  return async () => {
    const ranges = await readRanges(redis);
    const layout = JSON.stringify(ranges);
    if (known?.layout !== layout) known = { layout, probes: await findProbes(redis, ranges) };
    const ids = await Promise.all(known.probes.map((probe) => serverIdentity(redis, { probe })));
    return [...new Set(ids)].sort().join(' ');
  };
}

interface SlotRange {
  readonly from: number;
  readonly to: number;
  readonly owner: string;
}

async function readRanges(redis: Redis): Promise<SlotRange[]> {
  const rows = await redis.command('CLUSTER', 'SLOTS');
  assert(Array.isArray(rows), 'CLUSTER SLOTS answered without a list');
  const ranges = rows.map((row): SlotRange => {
    const [from, to, primary] = row as [number, number, [string, number, string]];
    return { from, to, owner: primary[2] };
  });
  return ranges.sort((a, b) => a.from - b.from);
}

/** One key for each primary, found by asking which slot a key would have. */
async function findProbes(redis: Redis, ranges: readonly SlotRange[]): Promise<string[]> {
  const owners = new Set(ranges.map((range) => range.owner));
  const probes = new Map<string, string>();
  for (let n = 0; n < probesMax && probes.size < owners.size; n++) {
    const probe = `{identity-${n}}`;
    const slot = Number(await redis.command('CLUSTER', 'KEYSLOT', probe));
    const owner = ranges.find((range) => range.from <= slot && slot <= range.to)?.owner;
    if (owner !== undefined && !probes.has(owner)) probes.set(owner, probe);
  }
  return [...probes.values()];
}
