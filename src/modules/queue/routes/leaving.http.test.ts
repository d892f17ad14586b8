import { expect, test } from 'vitest';
import { aQueue } from '../testing/a-queue.ts';

test('whoever leaves before coming back after a loss has left for good', async () => {
  const queue = await aQueue({ threshold: 1, recoveringMs: 0 });
  const eventId = queue.anEvent();
  await queue.check(eventId, queue.person());
  const leaver = queue.person();
  const { ticket } = await queue.check(eventId, leaver);
  queue.store.wipe();
  const left = await queue.call('POST', `/api/queue/leave/${eventId}`, { as: leaver });
  expect(left.json()).toEqual({ left: 'place' });
  const headers = { 'x-queue-ticket': ticket ?? '' };
  expect(await queue.status(eventId, leaver, { headers })).toMatchObject({ status: 'none' });
});
