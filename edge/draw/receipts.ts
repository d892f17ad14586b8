import type { BatchTree, Entry } from './batch-tree.ts';
import { rootBy } from './batch-tree.ts';
import { fromHex, hashOf, toHex } from './hash.ts';
import type { Receipt, ReceiptBatch } from './published.ts';

/**
 * What the operator signs: the place of a batch in the log. One signature serves all its receipts, because each proves by its
 * path that it belongs to that root.
 */
export function signedBytes(of: { eventId: string; era: number; batch: ReceiptBatch }): Uint8Array<ArrayBuffer> {
  const { index, first, count, root, head } = of.batch;
  return new Uint8Array(hashOf('receipt', [of.eventId, of.era, index, first, count, fromHex(root), fromHex(head)]));
}

export interface SignedBatch {
  readonly eventId: string;
  readonly era: number;
  readonly batch: ReceiptBatch;
  readonly receiptKey: string;
  readonly signature: string;
}

export function receiptOf(signed: SignedBatch, tree: BatchTree, { entry, visitor, atMs }: Entry): Receipt {
  const { eventId, era, batch, receiptKey, signature } = signed;
  const path = tree.pathOf(entry - batch.first).map(toHex);
  return { format: 'urr.draw.receipt.1', eventId, era, entry, visitor, atMs, batch, path, receiptKey, signature };
}

/** Whether entry, visitor and time are what the root of the batch was made of. */
export function leadsToRoot({ entry, visitor, atMs, batch, path }: Receipt): boolean {
  const index = entry - batch.first;
  if (index < 0 || index >= batch.count) return false;
  const root = rootBy(path.map(fromHex), { entry: { entry, visitor, atMs }, index, count: batch.count });
  return root !== null && toHex(root) === batch.root;
}
