/**
 * Toss keeps no id of ours with a cancellation, but it keeps the reason. So the reason carries the refund's id: a late retry then sees
 * whether this very refund was done, whatever else went back meanwhile.
 */
const reasonMax = 200;
const mark = /\[refund ([0-9a-zA-Z-]{1,64})\]$/;

export function reasonWith(reason: string, refundId: string): string {
  const ending = ` [refund ${refundId}]`;
  return `${reason.slice(0, reasonMax - ending.length)}${ending}`;
}

export function refundIdIn(reason: string): string | null {
  return mark.exec(reason)?.[1] ?? null;
}

/** Of an account that is closed while there is no money in it. */
export const closedReason = 'closed before any money came [urr]';
