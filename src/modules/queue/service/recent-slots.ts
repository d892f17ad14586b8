import type { Clock } from '#platform/clock.ts';
import type { ChangesResult, Slot, SlotRecord } from '../ports.ts';

export type LateChanges = Pick<ChangesResult, 'epoch' | 'from' | 'changes'>;

/**
 * The slots that this process saw in the last seconds. A slot given at once to somebody who enters reaches the journal
 * with the next tick, and so does a claim; if the store is lost before it, this memory is the only record of it.
 */
export interface RecentSlots {
  /** Looks at an answer of the store. When its epoch is a later one, what was seen in the epoch before comes back, once. */
  notice(eventId: string, result: unknown): LateChanges | null;
  /** What was seen so far. `forget` it when it is written. */
  peek(eventId: string): LateChanges | null;
  forget(eventId: string): void;
}

/** Some ticks: whatever is older has reached the journal, or admission is paused. */
const keptMs = 10_000;
const slotsPerEventMax = 2_000;
const eventsMax = 1_000;
/** These changes stand at no known position: they are never taken for written. */
const unplaced = Number.MAX_SAFE_INTEGER;

interface Seen {
  epoch: number;
  readonly slots: Map<string, { slot: Slot; atMs: number }>;
}

export function createRecentSlots({ clock }: { clock: Clock }): RecentSlots {
  const byEvent = new Map<string, Seen>();

  function peek(eventId: string): LateChanges | null {
    const seen = byEvent.get(eventId);
    if (seen === undefined) return null;
    const since = clock.now() - keptMs;
    const recent = [...seen.slots.values()].filter(({ atMs }) => atMs >= since);
    // Whoever was answered with a slot has claimed it by asking.
    const slots = recent.map(({ slot }) => ({ ...slot, claimed: true }));
    return slots.length === 0 ? null : lateSlots(seen.epoch, slots);
  }

  return {
    peek,
    forget: (eventId) => void byEvent.delete(eventId),
    notice(eventId, result) {
      const epoch = epochOf(result);
      if (epoch === null) return null;
      const known = byEvent.get(eventId);
      const isLater = known !== undefined && epoch > known.epoch;
      const late = isLater ? peek(eventId) : null;
      if (isLater) byEvent.delete(eventId);
      const slot = slotOf(result);
      if (slot !== null) {
        const seen = byEvent.get(eventId) ?? { epoch, slots: new Map() };
        if (!byEvent.has(eventId)) bound(byEvent, eventsMax);
        byEvent.set(eventId, seen);
        // An answer that was under way while the epoch was raised belongs to the old one, which has been taken.
        if (epoch >= seen.epoch) {
          seen.slots.delete(slot.slotId);
          bound(seen.slots, slotsPerEventMax);
          seen.slots.set(slot.slotId, { slot, atMs: clock.now() });
        }
      }
      return late;
    },
  };
}

/**
 * Without their spent marks: `begin` marks the places of the slots that the journal has. Of a slot that it knows as ended
 * the place may have been given back since, and a late mark would end it.
 */
export function lateSlots(epoch: number, slots: readonly SlotRecord[]): LateChanges {
  return {
    epoch,
    from: unplaced,
    changes: slots.map(({ claimed, ...slot }) => ({ kind: 'slot', slot, claimed })),
  };
}

function bound(map: Map<string, unknown>, max: number): void {
  const [oldest] = map.keys();
  if (map.size >= max && oldest !== undefined) map.delete(oldest);
}

function epochOf(result: unknown): number | null {
  if (typeof result !== 'object' || result === null || !('epoch' in result)) return null;
  return typeof result.epoch === 'number' ? result.epoch : null;
}

function slotOf(result: unknown): Slot | null {
  if (typeof result !== 'object' || result === null || !('status' in result) || result.status !== 'active') return null;
  // Only `enter` answers `active`, and it always has the slot with it.
  return (result as unknown as { slot: Slot }).slot;
}
