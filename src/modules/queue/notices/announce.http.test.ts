import { expect, test } from 'vitest';
import { createQueueHot } from '../index.ts';
import { aQueue } from '../testing/a-queue.ts';

const queue = await aQueue({ threshold: 1 });
const { anEvent, person, check, status, call, bus, clock, told, runJob, entryTokens } = queue;
const toldOf = (event: string) => told.filter(({ eventId }) => eventId === event).map(({ userId }) => userId);

test('a slot given at once is told once, however often its user asks', async () => {
  const event = anEvent();
  const ann = person();
  for (let times = 0; times < 3; times++) await check(event, ann);
  await status(event, ann);
  const [notice, ...more] = told.filter(({ eventId }) => eventId === event);
  expect(more).toEqual([]);
  expect(notice).toMatchObject({ eventId: event, userId: ann.userId, atMs: clock.now() });
  expect(entryTokens.verify(notice?.entryToken ?? '')).toMatchObject({
    ok: true,
    claims: { sub: event, uid: ann.userId },
  });
});

test('who waits is told of by the admission job, not when coming to claim the slot', async () => {
  const event = anEvent();
  const [ann, bob] = [person(), person()];
  await check(event, ann);
  await check(event, bob);
  expect(toldOf(event)).toEqual([ann.userId]);
  await call('POST', `/api/queue/leave/${event}`, { as: ann });
  await runJob('queue-admission');
  expect(toldOf(event)).toEqual([ann.userId, bob.userId]);
  expect(await status(event, bob)).toMatchObject({ status: 'active' });
  await check(event, bob);
  expect(toldOf(event)).toEqual([ann.userId, bob.userId]);
});

test('a ticket that comes back into an empty queue gets its slot at a poll, and that is told', async () => {
  const event = anEvent();
  const [ann, bob] = [person(), person()];
  await check(event, ann);
  await check(event, bob);
  await queue.store.forget({ eventId: event, seenTtlMs: -1, limit: 10 });
  await call('POST', `/api/queue/leave/${event}`, { as: ann });
  expect(await status(event, bob, { anonymous: true })).toMatchObject({ status: 'active' });
  expect(toldOf(event)).toEqual([ann.userId, bob.userId]);
});

test('nobody is told of a turn for giving up a place that only the ticket remembers', async () => {
  const event = anEvent();
  const [ann, bob] = [person(), person()];
  await check(event, ann);
  await check(event, bob);
  await queue.store.forget({ eventId: event, seenTtlMs: -1, limit: 10 });
  await call('POST', `/api/queue/leave/${event}`, { as: ann });
  await call('POST', `/api/queue/leave/${event}`, { as: bob });
  expect(await queue.store.trace({ eventId: event, userId: bob.userId })).toMatchObject({ place: 'none' });
  expect(toldOf(event)).toEqual([ann.userId]);
});

test.each([false, true])('a buffered entry that becomes a slot is told (hot: %s)', async (hot) => {
  const event = anEvent({ hot });
  const [ann, bob] = [person(), person()];
  for (const as of [ann, bob]) await call('POST', `/api/queue/enter/${event}`, { as });
  const { consumers } = hot ? createQueueHot(queue.deps) : queue.instance;
  await bus.deliver(consumers.find(({ declaration }) => declaration.group.startsWith('queue-entry')));
  expect(toldOf(event)).toEqual([ann.userId]);
});

test('an event without a queue gives no slots, so nothing is told', async () => {
  const event = anEvent({ queueEnabled: false });
  expect(await check(event, person())).toMatchObject({ status: 'active' });
  expect(toldOf(event)).toEqual([]);
});
