import { expect, test } from 'vitest';
import { aQueue } from '../testing/a-queue.ts';

test('an answer takes away an entry token that is over, and says nothing of one that was never there', async () => {
  const queue = await aQueue({ threshold: 1 });
  const eventId = queue.anEvent();
  await queue.check(eventId, queue.person());
  const ann = queue.person();
  const set = async () => {
    const { cookies } = await queue.call('POST', `/api/queue/check/${eventId}`, { as: ann });
    return cookies.map(({ name, maxAge }) => ({ name, over: maxAge === 0 }));
  };
  const ticket = { name: `urr-queue-ticket-${eventId}`, over: false };
  expect(await set()).toEqual([ticket]);
  ann.cookies.set(`urr-entry-token-${eventId}`, 'of a slot that is over');
  expect(await set()).toEqual([ticket, { name: `urr-entry-token-${eventId}`, over: true }]);
});
