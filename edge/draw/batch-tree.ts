import { hashOf } from './hash.ts';

/** Somebody who entered. `visitor` is the random id that the room gave to a browser. */
export interface Entry {
  readonly entry: number;
  readonly visitor: string;
  readonly atMs: number;
}

export const batchMax = 64;

/** Nodes beside the way from one leaf to the root, from below. A node without a neighbour goes up as it is and needs none. */
export type Path = readonly Uint8Array[];

export interface BatchTree {
  readonly root: Uint8Array;
  pathOf(index: number): Path;
}

export function batchTree(entries: readonly Entry[]): BatchTree {
  if (entries.length === 0 || entries.length > batchMax) throw new RangeError(`no batch has ${entries.length} entries`);
  const levels = [entries.map(leafOf)];
  for (let level = levels[0] ?? []; level.length > 1; ) {
    level = parentsOf(level);
    levels.push(level);
  }
  return {
    // The last level is the one with a single node.
    root: levels.at(-1)?.[0] as Uint8Array,
    pathOf: (index) =>
      levels.flatMap((level, height) => {
        const neighbour = level[(index >> height) ^ 1];
        return neighbour === undefined ? [] : [neighbour];
      }),
  };
}

/** The root to which a path leads from an entry at this index of so many; null: the path has not the length that it must have. */
export function rootBy(path: Path, at: { readonly entry: Entry; readonly index: number; readonly count: number }) {
  let node = leafOf(at.entry);
  let used = 0;
  for (let [index, count] = [at.index, at.count]; count > 1; index >>= 1, count = (count + 1) >> 1) {
    if ((index ^ 1) >= count) continue;
    const neighbour = path[used];
    if (neighbour === undefined) return null;
    used += 1;
    node = index % 2 === 0 ? parentOf(node, neighbour) : parentOf(neighbour, node);
  }
  return used === path.length ? node : null;
}

function leafOf({ entry, visitor, atMs }: Entry): Uint8Array {
  return hashOf('leaf', [entry, visitor, atMs]);
}

function parentOf(left: Uint8Array, right: Uint8Array): Uint8Array {
  return hashOf('node', [left, right]);
}

function parentsOf(level: readonly Uint8Array[]): Uint8Array[] {
  const parents: Uint8Array[] = [];
  for (let i = 0; i < level.length; i += 2) {
    const [left, right] = [level[i], level[i + 1]];
    if (left !== undefined) parents.push(right === undefined ? left : parentOf(left, right));
  }
  return parents;
}
