import { expect, test } from 'vitest';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { aClock } from '#test/kit/clock.ts';
import { packPlaceOrder } from '../domain/place-order.ts';
import type { QueueStore, StoreSnapshot } from '../ports.ts';
import { aBegin } from '../storage/conformance/harness.ts';
import { createMemoryStore } from '../storage/memory-store.ts';
import { createSpentMirror } from './spent-mirror.ts';

const eventId = 'event';
const order = (number: number) => packPlaceOrder({ lane: 1, era: 1, number });
const room = { on: true, era: 2, version: 1 };

async function aMirror() {
  const store = createMemoryStore({ clock: aClock() });
  const calls: string[] = [];
  const away = { on: false };
  const watched = (name: 'marks' | 'dump') => (call: never) => {
    if (away.on) return Promise.reject(new Error('away'));
    calls.push(name);
    return store[name](call) as never;
  };
  const mirror = createSpentMirror({
    store: { marks: watched('marks'), dump: watched('dump') } as Pick<QueueStore, 'marks' | 'dump'>,
    logger: silentLogger,
  });
  const begin = (epoch: number, more = {}) => store.begin(aBegin(eventId, { epoch, room, ...more }));
  await begin(1);
  const snapshot = async () => (await store.snapshot({ eventId })) as StoreSnapshot;
  const follow = async () => mirror.follow(eventId, await snapshot());
  const spend = async (number: number) => {
    const call = { eventId, userId: `user ${number}`, mode: 'enter', lane: 1, roomOn: false, activeTtlMs: 1 } as const;
    await store.enter({ ...call, numbered: order(number) });
    await store.leave({ eventId, userId: `user ${number}` });
  };
  const journalAll = async () => {
    const changes = await store.changes({ eventId, limit: 100_000 });
    if (changes.status === 'lost') throw new Error('lost');
    await store.acknowledge({ eventId, epoch: changes.epoch, upTo: changes.from + changes.changes.length });
  };
  return { store, mirror, calls, away, begin, snapshot, follow, spend, journalAll };
}

test('is loaded once, and then told what is new, whether the journal has it or not', async () => {
  const { calls, follow, spend, journalAll } = await aMirror();
  await spend(1);
  await journalAll();
  await spend(2);
  const known = await follow();
  expect([1, 2, 3].map((number) => known?.has(order(number)))).toEqual([true, true, false]);
  await spend(3);
  await journalAll();
  expect((await follow())?.has(order(3))).toBe(true);
  expect(calls).toEqual(['dump', 'marks', 'marks']);
});

test('begins anew in a new epoch, and after it was away for longer than is remembered', async () => {
  const { calls, follow, spend, begin, journalAll } = await aMirror();
  await spend(1);
  await follow();
  await begin(2);
  expect((await follow())?.has(order(1))).toBe(false);
  for (let number = 1; number <= 5_002; number++) await spend(number);
  await journalAll();
  calls.length = 0;
  expect((await follow())?.has(order(1))).toBe(true);
  expect(calls).toEqual(['marks', 'dump', 'marks']);
});

test('knows nothing without tier 1, of a store that does not answer, and of another epoch than the snapshot', async () => {
  const { away, begin, calls, follow, mirror, snapshot, spend } = await aMirror();
  expect(await mirror.follow(eventId, { ...(await snapshot()), room: { on: false, era: 0, version: 0 } })).toBeNull();
  expect(calls).toEqual([]);
  await spend(1);
  const before = await snapshot();
  await begin(2);
  expect(await mirror.follow(eventId, before)).toBeNull();
  away.on = true;
  expect(await follow()).toBeNull();
  away.on = false;
  expect(await follow()).not.toBeNull();
});

test('reads on page by page from where it stood, and a place that is open again is open', async () => {
  const asked: number[] = [];
  let isEndless = false;
  /** Each page is three changes long. */
  const log = [
    { order: order(1), isSpent: true },
    { order: order(2), isSpent: true },
    { order: order(3), isSpent: true },
    { order: order(1), isSpent: false },
    { order: order(4), isSpent: true },
  ];
  const store = {
    dump: async () => ({ status: 'ok', epoch: 1, spent: [], from: 0 }),
    marks: async ({ from }: { from: number }) => {
      asked.push(from);
      const upTo = Math.min(from + 3, log.length);
      return { status: 'ok', marks: log.slice(from, upTo), upTo, more: isEndless || upTo < log.length };
    },
  };
  // Two calls are all that the mirror makes of a store, and these answers are all that it reads.
  const mirror = createSpentMirror({ store: store as unknown as QueueStore, logger: silentLogger });
  const snapshot = { epoch: 1, room } as StoreSnapshot;
  const known = await mirror.follow(eventId, snapshot);
  expect([1, 2, 3, 4].map((number) => known?.has(order(number)))).toEqual([false, true, true, true]);
  log.push({ order: order(2), isSpent: false });
  expect((await mirror.follow(eventId, snapshot))?.has(order(2))).toBe(false);
  expect(asked).toEqual([0, 3, 5]);
  // What never ends is not waited for.
  isEndless = true;
  expect(await mirror.follow(eventId, snapshot)).toBeNull();
});
