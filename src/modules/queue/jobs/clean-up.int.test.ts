import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { platformErrors } from '#platform/errors.ts';
import { aClock } from '#test/kit/clock.ts';
import type { PlaceOrder } from '../domain/place-order.ts';
import type { QueueConfig } from '../ports.ts';
import { createMemoryStore } from '../storage/memory-store.ts';
import { aJournal } from '../testing/a-journal.ts';
import { aQueueProcess, someEventFacts } from '../testing/queue-processes.ts';

const { journal } = await aJournal();
const { signal } = new AbortController();
const usersOf = (count: number) => Array.from({ length: count }, (_, n) => `user-${n}`);

/** One process on a store that can be switched away. */
function aSetting(config: Partial<QueueConfig>) {
  const clock = aClock();
  const memory = createMemoryStore({ clock });
  const away = { is: false };
  const refuse = () => Promise.reject(platformErrors.fault('STORE_UNAVAILABLE'));
  const store = new Proxy(memory, { get: (target, name) => (away.is ? refuse : Reflect.get(target, name)) });
  const eventId = randomUUID();
  const process = aQueueProcess({ store, journal, clock, config, facts: [someEventFacts(eventId)] });
  return { clock, memory, eventId, process, away };
}

test('clean-up forgets who was away for long, and an event with nobody leaves the active ones', async () => {
  const { clock, memory, eventId, process } = aSetting({ threshold: 1, seenTtlMs: 60_000 });
  const tickets = new Map<string, PlaceOrder>();
  for (const user of usersOf(2_500)) {
    const result = await process.enter(eventId, user);
    if (result.status === 'waiting') tickets.set(user, result.order);
  }
  await process.tick();
  await process.cleanUp.run(signal);
  clock.advance(121_000);
  await process.cleanUp.run(signal);
  expect(await memory.snapshot({ eventId })).toMatchObject({ waiting: 0, parked: 0, active: 1 });
  expect(await memory.activeEvents()).toEqual([eventId]);
  // The ticket still holds the place.
  const order = tickets.get('user-7') ?? 0;
  expect(await process.enter(eventId, 'user-7', order)).toMatchObject({ status: 'waiting', order });
  for (const userId of ['user-7', 'user-0']) await memory.leave({ eventId, userId });
  // What the journal has not taken keeps the event in sight.
  await process.cleanUp.run(signal);
  expect(await memory.activeEvents()).toEqual([eventId]);
  clock.advance(1_000);
  await process.tick();
  await process.cleanUp.run(signal);
  // Nor does it go while the token of the slot that was given up would still be good.
  expect(await memory.activeEvents()).toEqual([eventId]);
  clock.advance(600_000);
  clock.advance(1_000);
  await process.tick();
  await process.cleanUp.run(signal);
  expect(await memory.activeEvents()).toEqual([]);
});

test("an outage is nobody's silence: clean-up lets people come back before it forgets them", async () => {
  const { clock, memory, eventId, process, away } = aSetting({ threshold: 1 });
  for (const user of usersOf(4)) await process.enter(eventId, user);
  for (let n = 0; n < 5; n++) {
    clock.advance(30_000);
    await memory.touch({ eventId, userIds: usersOf(4) });
    await process.cleanUp.run(signal);
  }
  away.is = true;
  for (let n = 0; n < 21; n++) {
    clock.advance(30_000);
    await process.cleanUp.run(signal).catch(() => undefined);
  }
  away.is = false;
  clock.advance(1_000);
  await process.cleanUp.run(signal);
  expect(await memory.snapshot({ eventId })).toMatchObject({ waiting: 3 });
  // The slot of before the outage is over, and it is not the newcomer's.
  expect(await process.enter(eventId, 'newcomer')).toMatchObject({ status: 'waiting', position: 4 });
});
