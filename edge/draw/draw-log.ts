import { fromHex, hashOf } from './hash.ts';
import type { Announcement, Batch } from './published.ts';

/** The head of a log without batches: what was announced, so that nothing of it can be changed later. */
export function announcedHead(announcement: Announcement): Uint8Array {
  const { eventId, era, announcedAtMs, commitment, receiptKey, signInRequired, beacon } = announcement;
  return hashOf('announcement', [
    eventId,
    era,
    announcedAtMs,
    fromHex(commitment),
    fromHex(receiptKey),
    signInRequired ? 1 : 0,
    beacon.kind,
    ...(beacon.kind === 'drand' ? [fromHex(beacon.chain), beacon.genesisSeconds, beacon.periodSeconds] : []),
  ]);
}

export function nextHead(head: Uint8Array, [first, count, root]: Batch): Uint8Array {
  return root === undefined
    ? hashOf('lost', [head, first, count])
    : hashOf('batch', [head, first, count, fromHex(root)]);
}

export type Coverage =
  | { readonly status: 'whole'; readonly lost: number }
  | { readonly status: 'overlap' | 'gap'; readonly entry: number };

/** Whether the batches hold each of the entries once. Before the freeze gaps may still be filled. */
export function coverageOf(batches: readonly Batch[], entries: number | null): Coverage {
  let next = 0;
  let lost = 0;
  for (const [first, count, root] of batches.toSorted(([a], [b]) => a - b)) {
    if (first < next) return { status: 'overlap', entry: first };
    if (first > next && entries !== null) return { status: 'gap', entry: next };
    if (root === undefined) lost += count;
    next = first + count;
  }
  if (entries === null || next === entries) return { status: 'whole', lost };
  return next < entries ? { status: 'gap', entry: next } : { status: 'overlap', entry: entries };
}
