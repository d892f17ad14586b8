import type { Clock } from '#platform/clock.ts';
import type { Slot, StoreSnapshot } from '../ports.ts';

/** Ids of slots that ended before their time and whose tokens would still be good. Fed with what is new in every snapshot of this process. */
export interface DenySet {
  has(slotId: string): boolean;
  /** Costs what is added, however many there are. */
  add(denied: StoreSnapshot['denied']): void;
  /** Costs what has ended, and one step for each second in which something ends later. */
  forgetEnded(): void;
}

/** Beyond it those that end first are forgotten: their tokens end by themselves soonest. */
const deniedMax = 200_000;

export function createDenySet({ clock }: { clock: Clock }): DenySet {
  const untilMs = new Map<string, number>();
  /** The ids by the second in which they end: with tens of thousands of them nobody may go through all of them each second. */
  const bySecond = new Map<number, string[]>();

  function forgetFirst(): void {
    while (untilMs.size > deniedMax) {
      let first = Number.POSITIVE_INFINITY;
      for (const second of bySecond.keys()) first = Math.min(first, second);
      const ids = bySecond.get(first) ?? [];
      for (const slotId of ids.splice(0, untilMs.size - deniedMax)) untilMs.delete(slotId);
      if (ids.length === 0) bySecond.delete(first);
    }
  }

  return {
    has(slotId) {
      const until = untilMs.get(slotId);
      return until !== undefined && until > clock.now();
    },
    add(denied) {
      for (const { slotId, untilMs: until } of denied) {
        if (untilMs.has(slotId)) continue;
        untilMs.set(slotId, until);
        const ids = bySecond.get(secondOf(until));
        if (ids === undefined) bySecond.set(secondOf(until), [slotId]);
        else ids.push(slotId);
      }
      forgetFirst();
    },
    forgetEnded() {
      const now = clock.now();
      for (const [second, ids] of bySecond) {
        if (second * 1_000 > now) continue;
        for (const slotId of ids) untilMs.delete(slotId);
        bySecond.delete(second);
      }
    },
  };
}

/** A slot that has just ended early. */
export function deniedSlot({ slotId, endsAtMs }: Pick<Slot, 'slotId' | 'endsAtMs'>): StoreSnapshot['denied'][number] {
  return { slotId, untilMs: endsAtMs };
}

/** The first whole second at which it is over. */
function secondOf(ms: number): number {
  return Math.ceil(ms / 1_000);
}
