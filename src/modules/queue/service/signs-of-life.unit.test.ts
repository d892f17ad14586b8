import { expect, test } from 'vitest';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { aClock } from '#test/kit/clock.ts';
import type { EventStates } from '../ports.ts';
import { createSignsOfLife } from './signs-of-life.ts';

const states: EventStates = {
  // This store loses nothing, so its answer is never the one that says so.
  withState: (_eventId, call) => call() as Promise<never>,
  suspectLoss: async () => undefined,
};

function setUp() {
  const clock = aClock();
  const told: string[][] = [];
  const store = { away: false, unknown: [] as string[] };
  const signs = createSignsOfLife({
    store: {
      async touch({ userIds }) {
        if (store.away) throw new Error('the store is away');
        told.push([...userIds]);
        return { unknown: userIds.filter((userId) => store.unknown.includes(userId)) };
      },
    },
    states,
    clock,
    logger: silentLogger,
    config: { absentMs: 90_000 },
  });
  return { clock, told, store, signs };
}

test('a user is told once in a generation and the next, by order and without one', async () => {
  const { clock, told, signs } = setUp();
  const poll = () => {
    signs.note('e', 'ann', 7);
    signs.note('e', 'bob', null);
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

test('whoever could not be told is told with the next poll', async () => {
  const { told, store, signs } = setUp();
  store.away = true;
  signs.note('e', 'ann', 7);
  signs.note('e', 'bob', null);
  await signs.flush();
  store.away = false;
  signs.note('e', 'ann', 7);
  signs.note('e', 'bob', null);
  await signs.flush();
  expect(told).toEqual([['ann', 'bob']]);
});

test('whom the store does not know is gone until it does, or for ten minutes', async () => {
  const { clock, store, signs } = setUp();
  store.unknown = ['ann', 'bob'];
  for (const [userId, order] of [['ann', 7] as const, ['bob', 8] as const, ['cat', 9] as const])
    signs.note('e', userId, order);
  expect(signs.isGone('e', 'ann')).toBe(false);
  await signs.flush();
  const gone = () => ['ann', 'bob', 'cat'].filter((userId) => signs.isGone('e', userId));
  expect(gone()).toEqual(['ann', 'bob']);
  signs.heard('e', 'ann', true);
  expect(gone()).toEqual(['bob']);
  clock.advance(600_000);
  expect(gone()).toEqual([]);
});
