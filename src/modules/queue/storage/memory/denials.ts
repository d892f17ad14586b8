import { createScoredSet, type ScoredMember } from './scored-set.ts';

/** Ids of slots that ended early, until they would have ended; in the order in which they were denied, and by their ends. */
export interface Denials {
  size(): number;
  has(untilMs: number, slotId: string): boolean;
  add(untilMs: number, slotId: string): void;
  /** The last serial number that was given. */
  serial(): number;
  /** Those denied after this serial number; the first to end first. */
  since(serial: number): { slotId: string; untilMs: number }[];
  /** At most `limit` of those that have ended. */
  dropEnded(nowMs: number, limit: number): void;
  /** So many of those that end first. */
  dropFirst(count: number): void;
}

export function createDenials(): Denials {
  const byEnd = createScoredSet();
  const bySerial = createScoredSet();
  const serials = new Map<string, number>();
  let last = 0;

  function drop(untilMs: number, slotId: string): void {
    byEnd.delete(untilMs, slotId);
    const member = memberOf(untilMs, slotId);
    bySerial.delete(serials.get(member) ?? 0, member);
    serials.delete(member);
  }

  return {
    size: () => byEnd.size(),
    has: (untilMs, slotId) => byEnd.has(untilMs, slotId),
    add(untilMs, slotId) {
      if (byEnd.has(untilMs, slotId)) drop(untilMs, slotId);
      last += 1;
      byEnd.add(untilMs, slotId);
      bySerial.add(last, memberOf(untilMs, slotId));
      serials.set(memberOf(untilMs, slotId), last);
    },
    serial: () => last,
    since(serial) {
      if (serial === 0) return byEnd.upTo(Number.POSITIVE_INFINITY, byEnd.size()).map(deniedOf);
      const from = bySerial.countUpTo(serial);
      const added = createScoredSet();
      for (let at = from; at < bySerial.size(); at += 1) {
        const [untilMs, slotId = ''] = bySerial.at(at).member.split(' ');
        added.add(Number(untilMs), slotId);
      }
      return added.upTo(Number.POSITIVE_INFINITY, added.size()).map(deniedOf);
    },
    dropEnded(nowMs, limit) {
      for (const { score, member } of byEnd.upTo(nowMs, limit)) drop(score, member);
    },
    dropFirst(count) {
      for (const { score, member } of byEnd.upTo(Number.POSITIVE_INFINITY, count)) drop(score, member);
    },
  };
}

function memberOf(untilMs: number, slotId: string): string {
  return `${untilMs} ${slotId}`;
}

function deniedOf({ score, member }: ScoredMember): { slotId: string; untilMs: number } {
  return { slotId: member, untilMs: score };
}
