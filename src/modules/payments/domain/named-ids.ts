import { createHash } from 'node:crypto';

/**
 * An id that the same parts always give: a repeated message finds what it made before. Looks like a UUID of version 8, which is for
 * ids of one's own making.
 */
export function namedId(...parts: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest();
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x80;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = hash.subarray(0, 16).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

export const refundIdOf = {
  /** Of one cancellation, the part that one order paid for. */
  cancellation: (cancellationId: string, orderId: string) => namedId('cancellation', cancellationId, orderId),
  /** Of closing what has no money yet. Not the attempt's own id, which is the key of its capture. */
  closing: (paymentId: string) => namedId('closing', paymentId),
  orphan: (paymentId: string) => namedId('orphan', paymentId),
  found: (paymentId: string, reference: string) => namedId('found', paymentId, reference),
};
