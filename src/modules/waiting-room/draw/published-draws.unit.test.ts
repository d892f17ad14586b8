import { expect, test } from 'vitest';
import type { Database } from '#platform/postgres/database.ts';
import { aClock } from '#test/kit/clock.ts';
import { createPublishedDraws } from './published-draws.ts';

test('a draw is read once in two seconds, however many events are made up meanwhile', async () => {
  const read: unknown[] = [];
  const answers = async (_: string, [eventId]: unknown[]) => {
    read.push(eventId);
    return { rows: eventId === 'drawn' ? [{ era: 1, frozen_ms: null, seed: null, void_reason: null }] : [] };
  };
  const database = {
    transaction: (run: (tx: { query: typeof answers }) => unknown) => run({ query: answers }),
  } as unknown as Database;
  const clock = aClock();
  const draws = createPublishedDraws({ database, clock });
  const drawn = await draws.of('drawn');
  const reads = () => read.filter((eventId) => eventId === 'drawn').length;
  const once = reads();
  for (let n = 0; n < 100; n++) expect(await draws.of(`made up ${n}`)).toBe(null);
  expect(await draws.of('drawn')).toBe(drawn);
  expect(reads()).toBe(once);
  clock.advance(2_000);
  await draws.of('drawn');
  expect(reads()).toBe(2 * once);
});
