import { expect, test } from 'vitest';
import type { ConsumerContext } from '#platform/bus/port.ts';
import { createEndSlotsConsumer } from './end-slots.ts';

/** The queue as its contract has it: a slot is ended only under the id that it still has. */
function aQueue(slots: Map<string, string>) {
  const asked: string[] = [];
  return {
    asked,
    async endSlot({ userId, slotId }: { eventId: string; userId: string; slotId: string }) {
      asked.push(slotId);
      const ended = slots.get(userId) === slotId;
      if (ended) slots.delete(userId);
      return { ended };
    },
  };
}

// The handler uses nothing of its context.
const context = {} as ConsumerContext;
const confirmed = (userId: string, slotId: string | null) => ({
  ...{ type: 'RESERVATION_CONFIRMED', data: { eventId: 'event', userId, slotId } },
});
// It reads no more of an envelope than this.
const handle = (consumer: ReturnType<typeof createEndSlotsConsumer>, ...events: object[]) =>
  consumer.handle(events as never, context);

test('a confirmation ends the slot in which the reservation was made; nothing else does', async () => {
  const slots = new Map([['mina', 'slot-1']]);
  const queue = aQueue(slots);
  const consumer = createEndSlotsConsumer({ queue });
  await handle(consumer, { type: 'RESERVATION_EXPIRED', data: { userId: 'mina' } }, confirmed('jun', null));
  expect([queue.asked, slots.size]).toEqual([[], 1]);
  await handle(consumer, confirmed('mina', 'slot-1'));
  expect(slots.size).toBe(0);
});

test('a confirmation that is delivered again does not end the next slot of its buyer', async () => {
  const slots = new Map([['mina', 'slot-1']]);
  const consumer = createEndSlotsConsumer({ queue: aQueue(slots) });
  await handle(consumer, confirmed('mina', 'slot-1'));
  slots.set('mina', 'slot-2');
  await handle(consumer, confirmed('mina', 'slot-1'));
  expect(slots.get('mina')).toBe('slot-2');
});

test('with the queue away the message fails, so that the bus brings it again', async () => {
  const consumer = createEndSlotsConsumer({ queue: { endSlot: () => Promise.reject(new Error('away')) } });
  await expect(handle(consumer, confirmed('mina', 'slot-1'))).rejects.toThrow('away');
});
