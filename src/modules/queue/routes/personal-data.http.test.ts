import { expect, test } from 'vitest';
import type { PersonalDataClient } from '#platform/personal-data-calls.ts';
import { aQueue } from '../testing/a-queue.ts';

const queue = await aQueue({ threshold: 1 });
// The module's own handlers of these very calls.
const data = queue.instance.internal as unknown as PersonalDataClient;

test('a slot is shown to its user, and goes to the next in line when the account is given up', async () => {
  const eventId = queue.anEvent();
  const [one, two] = [queue.person(), queue.person()];
  for (const person of [one, two]) await queue.check(eventId, person);
  await queue.runJob('queue-admission');
  expect(await queue.status(eventId, one)).toMatchObject({ status: 'active' });
  expect((await data.exportUser({ userId: one.userId })).sections).toMatchObject({
    slots: [{ eventId, endedAt: null }],
  });
  expect((await data.exportUser({ userId: two.userId })).sections).toMatchObject({ slots: [] });
  expect(await data.erasureObstacles({ userId: one.userId })).toEqual({ reasons: [] });

  for (let time = 0; time < 2; time++) expect(await data.eraseUser({ userId: one.userId })).toEqual({ erased: true });
  expect((await queue.seats(eventId, one)).statusCode).toBe(403);
  await queue.admit(eventId);
  expect(await queue.status(eventId, two)).toMatchObject({ status: 'active' });
});
