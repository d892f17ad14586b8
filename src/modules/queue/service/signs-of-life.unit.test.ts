import { expect, test } from 'vitest';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { aClock } from '#test/kit/clock.ts';
import type { EventStates } from '../ports.ts';
import { createSignsOfLife } from './signs-of-life.ts';

const states: EventStates = {
  // This store loses nothing, so its answer is never the one that says so.
  withState: (_eventId, call) => call({ mayGrant: async () => true }) as Promise<never>,
  suspectLoss: async () => undefined,
};

function setUp() {
  const clock = aClock();
  const told: string[][] = [];
  const store = { away: false, unknown: [] as string[], spent: [] as number[], returned: [] as string[] };
  const signs = createSignsOfLife({
    store: {
      async touch({ userIds }) {
        if (store.away) throw new Error('the store is away');
        told.push([...userIds]);
        return { unknown: userIds.filter((userId) => store.unknown.includes(userId)) };
      },
      async enter({ mode, userId, ticketOrder = 0 }) {
        if (mode !== 'return') throw new Error(`a sign of life is no ${mode}`);
        if (store.spent.includes(ticketOrder)) return { status: 'none', spent: true, epoch: 1 };
        store.returned.push(userId);
        return { status: 'waiting', order: ticketOrder, position: 1, epoch: 1, fresh: true };
      },
    },
    states,
    clock,
    logger: silentLogger,
    config: { absentMs: 90_000, activeTtlMs: 600_000 },
  });
  return { clock, told, store, signs };
}

test('a user is told once in a generation and the next, by order and without one', async () => {
  const { clock, told, signs } = setUp();
  const poll = () => {
    signs.note('e', { userId: 'ann', order: 7 });
    signs.note('e', { userId: 'bob', order: null });
  };
  poll();
  poll();
  await signs.flush();
  poll();
  await signs.flush();
  expect(told).toEqual([['ann', 'bob']]);
  clock.advance(20_000);
  await signs.flush();
  poll();
  clock.advance(20_000);
  await signs.flush();
  poll();
  await signs.flush();
  expect(told).toEqual([
    ['ann', 'bob'],
    ['ann', 'bob'],
  ]);
});

test('anyone who could not be told is told with the next flush, once', async () => {
  const { told, store, signs } = setUp();
  store.away = true;
  signs.note('e', { userId: 'ann', order: 7 });
  signs.note('e', { userId: 'bob', order: null });
  await signs.flush();
  signs.note('e', { userId: 'cat', order: 8 });
  store.away = false;
  signs.note('e', { userId: 'ann', order: 7 });
  await signs.flush();
  await signs.flush();
  expect(told).toEqual([['ann', 'bob', 'cat']]);
});

test('anyone who could not be told for a minute is told with the next poll', async () => {
  const { clock, told, store, signs } = setUp();
  store.away = true;
  signs.note('e', { userId: 'ann', order: 7 });
  clock.advance(40_000);
  signs.note('e', { userId: 'bob', order: 8 });
  clock.advance(20_001);
  await signs.flush();
  store.away = false;
  await signs.flush();
  expect(told).toEqual([['bob']]);
  signs.note('e', { userId: 'ann', order: 7 });
  await signs.flush();
  expect(told).toEqual([['bob'], ['ann']]);
});

test('signs are told unless one waits for longer than between two flushes', async () => {
  const { clock, store, signs } = setUp();
  expect(signs.isFlushed('e')).toBe(true);
  signs.note('e', { userId: 'ann', order: 7 });
  clock.advance(2_500);
  expect(signs.isFlushed('e')).toBe(true);
  clock.advance(1);
  expect(signs.isFlushed('e')).toBe(false);
  store.away = true;
  await signs.flush();
  signs.note('e', { userId: 'bob', order: 8 });
  expect(signs.isFlushed('e')).toBe(false);
  store.away = false;
  await signs.flush();
  expect(signs.isFlushed('e')).toBe(true);
});

test('whom the store does not know comes back by the ticket, if its place is not over', async () => {
  const { store, signs } = setUp();
  store.unknown = ['ann', 'bob', 'cat'];
  store.spent = [8];
  signs.note('e', { userId: 'ann', order: 7 });
  signs.note('e', { userId: 'bob', order: 8 });
  signs.note('e', { userId: 'cat', order: null });
  signs.note('e', { userId: 'dan', order: 9 });
  await signs.flush();
  expect(store.returned).toEqual(['ann']);
  expect(['ann', 'bob', 'cat', 'dan'].filter((userId) => signs.isGone('e', userId))).toEqual(['bob', 'cat']);
});

test('in another epoch everybody is told anew', async () => {
  const { told, signs } = setUp();
  const beat = async (epoch: number) => {
    signs.note('e', { userId: 'ann', order: 7 });
    signs.epochIs('e', epoch);
    await signs.flush();
  };
  await beat(1);
  await beat(1);
  expect(told).toEqual([['ann']]);
  await beat(2);
  await beat(2);
  expect(told).toEqual([['ann'], ['ann']]);
});

test('whom the store does not know is gone until it does, or for ten minutes', async () => {
  const { clock, store, signs } = setUp();
  store.unknown = ['ann', 'bob'];
  store.spent = [7, 8];
  for (const [userId, order] of [['ann', 7] as const, ['bob', 8] as const, ['cat', 9] as const])
    signs.note('e', { userId, order });
  expect(signs.isGone('e', 'ann')).toBe(false);
  await signs.flush();
  const gone = () => ['ann', 'bob', 'cat'].filter((userId) => signs.isGone('e', userId));
  expect(gone()).toEqual(['ann', 'bob']);
  signs.heard('e', 'ann', true);
  expect(gone()).toEqual(['bob']);
  clock.advance(600_000);
  expect(gone()).toEqual([]);
});

test('a process clock that is set back keeps nobody who polls from being told', async () => {
  const { clock, told, signs } = setUp();
  signs.note('e', { userId: 'ann', order: 7 });
  await signs.flush();
  clock.setBack(3_600_000);
  // Two generations and a poll more.
  for (let second = 0; second < 41; second++) {
    clock.advance(1_000);
    signs.note('e', { userId: 'ann', order: 7 });
    await signs.flush();
  }
  expect(told).toEqual([['ann'], ['ann']]);
});
