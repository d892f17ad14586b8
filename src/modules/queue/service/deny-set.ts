import type { Clock } from '#platform/clock.ts';
import type { StoreSnapshot } from '../ports.ts';

/** Ids of slots that ended before their time and whose tokens would still be good. Fed by every snapshot of this process. */
export interface DenySet {
  has(slotId: string): boolean;
  add(denied: StoreSnapshot['denied']): void;
  forgetEnded(): void;
}

/** Beyond it the oldest are forgotten: their tokens end by themselves within the life of a slot. */
const deniedMax = 200_000;

export function createDenySet({ clock }: { clock: Clock }): DenySet {
  const untilMs = new Map<string, number>();
  return {
    has(slotId) {
      const until = untilMs.get(slotId);
      return until !== undefined && until > clock.now();
    },
    add(denied) {
      for (const { slotId, untilMs: until } of denied) untilMs.set(slotId, until);
      for (const oldest of untilMs.keys()) {
        if (untilMs.size <= deniedMax) break;
        untilMs.delete(oldest);
      }
    },
    forgetEnded() {
      const now = clock.now();
      for (const [slotId, until] of untilMs) if (until <= now) untilMs.delete(slotId);
    },
  };
}
