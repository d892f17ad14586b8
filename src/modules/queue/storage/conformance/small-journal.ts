import { type PlaceOrder, spentPlace } from '../../domain/place-order.ts';
import type { BeginCall, SlotRecord, StoreChange } from '../../ports.ts';

/** What PostgreSQL keeps of an event, as small as it can be. */
export interface SmallJournal {
  write(changes: readonly StoreChange[]): void;
  /** Spent, or used for a slot. */
  isOver(order: PlaceOrder): boolean;
  load(): Pick<BeginCall, 'slots' | 'denied' | 'spent' | 'returned' | 'sequence' | 'watermark'>;
}

export function createSmallJournal(): SmallJournal {
  const slots = new Map<string, SlotRecord & { lastChance: boolean }>();
  const denied = new Map<string, number>();
  const spent = new Set<PlaceOrder>();
  /** Waited for. */
  const returned = new Set<PlaceOrder>();
  let watermark = 0;

  return {
    write(changes) {
      for (const change of changes) {
        switch (change.kind) {
          case 'slot': {
            const { slot, claimed } = change;
            const lastChance = slots.get(slot.slotId)?.lastChance ?? returned.has(slot.order);
            slots.set(slot.slotId, { ...slot, claimed, lastChance });
            watermark = Math.max(watermark, slot.order);
            break;
          }
          case 'slot-ended':
            denied.set(change.slotId, slots.get(change.slotId)?.endsAtMs ?? 0);
            slots.delete(change.slotId);
            break;
          case 'spent':
            spent.add(change.order);
            returned.delete(change.order);
            break;
          case 'unspent':
            spent.delete(change.order);
            returned.add(change.order);
            break;
        }
      }
    },
    isOver: (order) => spent.has(order) || [...slots.values()].some((slot) => slot.order === order),
    load: () => ({
      slots: [...slots.values()].map(({ lastChance: _, ...slot }) => slot),
      returned: givenBackOnce(),
      denied: [...denied].map(([slotId, untilMs]) => ({ slotId, untilMs })),
      spent: bitmapsOf(spent),
      sequence: 0,
      watermark,
    }),
  };

  function givenBackOnce(): PlaceOrder[] {
    const live = [...slots.values()];
    const lastChances = live.filter(({ lastChance, claimed }) => lastChance && !claimed).map(({ order }) => order);
    const inSlots = new Set(live.map(({ order }) => order));
    return [...lastChances, ...[...returned].filter((order) => !inSlots.has(order))];
  }
}

function bitmapsOf(orders: ReadonlySet<PlaceOrder>): BeginCall['spent'] {
  const chunks = new Map<string, { era: number; chunk: number; bits: Buffer }>();
  for (const { era, chunk, offset } of [...orders].map(spentPlace)) {
    const known = chunks.get(`${era}:${chunk}`) ?? { era, chunk, bits: Buffer.alloc(256) };
    chunks.set(`${era}:${chunk}`, known);
    known.bits.writeUInt8(known.bits.readUInt8(offset >>> 3) | (0x80 >>> (offset & 7)), offset >>> 3);
  }
  return [...chunks.values()];
}
