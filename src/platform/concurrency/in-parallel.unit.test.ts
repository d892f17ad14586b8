import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { inParallel } from './in-parallel.ts';

test('every item is worked on once, in order, and never more than `workers` at a time', async () => {
  const items = Array.from({ length: 20 }, (_, n) => n);
  const begun: number[] = [];
  let now = 0;
  let most = 0;
  await inParallel(items, 3, async (item) => {
    begun.push(item);
    most = Math.max(most, ++now);
    await nextTurn();
    now -= 1;
  });
  expect(begun).toEqual(items);
  expect(most).toBe(3);
});

test('a fault is the caller’s, and no items are no work', async () => {
  await expect(inParallel([1, 2], 2, async () => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  await inParallel([], 2, async () => expect.unreachable('there is nothing to do'));
});
