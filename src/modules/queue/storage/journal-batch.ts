import { assertNever } from '#platform/assert.ts';
import { type PlaceOrder, unpackPlaceOrder } from '../domain/place-order.ts';
import type { SlotRecord, StoreChange } from '../ports.ts';

export interface GatheredSlot extends SlotRecord {
  /** The place was given back before it, by these changes. It may have been by earlier ones. */
  readonly lastChance: boolean;
}

/** What a run of changes comes to in the end. */
export interface GatheredChanges {
  readonly slots: readonly GatheredSlot[];
  readonly endedSlotIds: readonly string[];
  /** The last word on each place: spent or not. */
  readonly marks: ReadonlyMap<PlaceOrder, boolean>;
  /** The highest order that got a slot; 0 when none did. */
  readonly watermark: PlaceOrder;
  highestNumber(era: number): number;
}

export function gather(changes: readonly StoreChange[]): GatheredChanges {
  const slots = new Map<string, GatheredSlot>();
  const ended = new Set<string>();
  const marks = new Map<PlaceOrder, boolean>();
  let watermark = 0;
  for (const change of changes) {
    switch (change.kind) {
      case 'slot': {
        const { slot } = change;
        const known = slots.get(slot.slotId);
        const lastChance = known?.lastChance ?? marks.get(slot.order) === false;
        slots.set(slot.slotId, { ...slot, claimed: change.claimed || known?.claimed === true, lastChance });
        watermark = Math.max(watermark, slot.order);
        break;
      }
      case 'slot-ended':
        ended.add(change.slotId);
        break;
      case 'spent':
        marks.set(change.order, true);
        break;
      case 'unspent':
        marks.set(change.order, false);
        break;
      default:
        assertNever(change);
    }
  }
  return {
    slots: [...slots.values()],
    endedSlotIds: [...ended],
    marks,
    watermark,
    highestNumber(era) {
      let highest = 0;
      for (const order of marks.keys()) {
        const parts = unpackPlaceOrder(order);
        if (parts.era === era) highest = Math.max(highest, parts.number);
      }
      return highest;
    },
  };
}
