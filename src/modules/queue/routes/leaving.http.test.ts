import { expect, test, vi } from 'vitest';
import { aBegin } from '../storage/conformance/harness.ts';
import { aQueue } from '../testing/a-queue.ts';

test('anyone who leaves before coming back after a loss has left for good', async () => {
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

test('a slot that is given up is denied here at once, elsewhere with the next look, and passed on alone among 95,000', async () => {
  const queue = await aQueue({ threshold: 100_000 });
  const { store, storeCalls } = queue;
  const eventId = queue.anEvent();
  const settings = { threshold: 100_000, paused: false, closed: false, message: null };
  const untilMs = queue.clock.now() + 600_000;
  const denied = Array.from({ length: 95_000 }, (_, n) => ({ slotId: `slot-${n}`, untilMs }));
  await store.begin(aBegin(eventId, { settings, denied, nowMs: queue.clock.now() }));
  const people = Array.from({ length: 50 }, () => queue.person());
  for (const one of people) await queue.check(eventId, one);
  await queue.runJob('queue-snapshots');
  expect(await store.snapshot({ eventId })).toMatchObject({ denied: { length: denied.length } });
  const tokens = people.map((one) => one.cookies.get(`urr-entry-token-${eventId}`) ?? '');

  const looks = vi.spyOn(store, 'snapshot');
  const before = storeCalls.get('snapshot') ?? 0;
  const answers = await Promise.all(people.map((as) => queue.call('POST', `/api/queue/leave/${eventId}`, { as })));
  expect(answers.map((answer) => answer.json())).toEqual(people.map(() => ({ left: 'slot' })));
  for (const [n, as] of people.entries()) {
    const shown = await queue.seats(eventId, as, { 'x-queue-entry-token': tokens[n] ?? '' });
    expect(shown.statusCode).toBe(403);
  }
  expect((storeCalls.get('snapshot') ?? 0) - before).toBe(0);
  await queue.runJob('queue-snapshots');
  const snapshots = await Promise.all(
    looks.mock.results.map(({ value }) => value as ReturnType<typeof store.snapshot>),
  );
  const passedOn = snapshots.flatMap((snapshot) => (snapshot.status === 'ok' ? snapshot.denied : []));
  expect(passedOn).toHaveLength(people.length);
});

/** Ann was forgotten, and entered again from a device that has no ticket: she has two places. */
async function twoPlaces() {
  const queue = await aQueue({ threshold: 1 });
  const eventId = queue.anEvent();
  await queue.check(eventId, queue.person());
  const ann = queue.person();
  const first = await queue.check(eventId, ann);
  await queue.check(eventId, queue.person());
  await queue.store.forget({ eventId, seenTtlMs: 0, limit: 1 });
  const device = { ...ann, cookies: new Map<string, string>() };
  const second = await queue.check(eventId, device);
  expect([first.position, second.position]).toEqual([1, 2]);
  return { queue, eventId, ann, device };
}

test('anyone who has two places is at the earlier one as soon as its ticket is shown', async () => {
  const { queue, eventId, ann, device } = await twoPlaces();
  expect(await queue.status(eventId, ann)).toMatchObject({ status: 'waiting', position: 1 });
  // The other device, which shows the ticket of the later one, is told so, and nobody stands at that any more.
  expect(await queue.status(eventId, device)).toMatchObject({ status: 'waiting', position: 1 });
  expect(await queue.store.snapshot({ eventId })).toMatchObject({ waiting: 2 });
});

test('anyone who leaves with the ticket of one of two places has neither', async () => {
  const { queue, eventId, ann, device } = await twoPlaces();
  const left = await queue.call('POST', `/api/queue/leave/${eventId}`, {
    as: { ...ann, cookies: new Map(ann.cookies) },
  });
  expect(left.json()).toEqual({ left: 'place' });
  for (const either of [ann, device]) {
    expect(await queue.status(eventId, either)).toMatchObject({ status: 'none' });
  }
});
