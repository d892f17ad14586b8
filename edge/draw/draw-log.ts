import { batchMax } from './batch-tree.ts';
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
  return hashOf('batch', [head, first, count, fromHex(root)]);
}

/** How many entries the batches hold; null: they do not stand one behind the other from entry 0 on. */
export function entriesIn(batches: readonly Batch[]): number | null {
  let next = 0;
  for (const [first, count] of batches) {
    if (first !== next || count < 1 || count > batchMax) return null;
    next += count;
  }
  return next;
}
