import { type Consumer, type ConsumerDeclaration, defineConsumer } from '#platform/bus/port.ts';
import { inParallel } from '#platform/concurrency/in-parallel.ts';
import type { TicketingDeps } from '../ports.ts';
import { reservationEvents } from '../topics.ts';

export const endSlotsDeclaration = {
  topic: reservationEvents,
  group: 'ticketing-end-slots',
  mode: 'batch',
  commit: 'manual',
  retry: { times: 3, backoffMs: 500 },
  deadLetter: 'ticketing-end-slots-dead',
  onPoison: 'pass',
  batchSizeMax: 100,
} as const satisfies ConsumerDeclaration<typeof reservationEvents>;

const callsAtOnce = 8;

/**
 * Anyone who has bought needs the slot no longer, and the next one may come in. The queue ends a slot only if it still has the id that the
 * reservation was made with: a confirmation that is delivered again finds another slot, or none. With the queue away
 * this throws and the bus tries again; at worst the slot ends by itself.
 */
export function createEndSlotsConsumer({ queue }: Pick<TicketingDeps, 'queue'>): Consumer {
  return defineConsumer({
    declaration: endSlotsDeclaration,
    async handle(events) {
      const slots = events.flatMap((event) => {
        if (event.type !== 'RESERVATION_CONFIRMED' || event.data.slotId === null) return [];
        const { eventId, userId, slotId } = event.data;
        return [{ eventId, userId, slotId }];
      });
      await inParallel(slots, callsAtOnce, async (slot) => {
        await queue.endSlot(slot);
      });
    },
  });
}
