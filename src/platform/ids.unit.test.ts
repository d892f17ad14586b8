import { expect, test } from 'vitest';
import { aClock } from '#test/kit/clock.ts';
import { createIds, isUuid } from './ids.ts';
import { systemRandom } from './random.ts';

test('ids are UUIDv7, unique, and sort in the order they were made', () => {
  const clock = aClock();
  const ids = createIds({ clock, random: systemRandom });
  const made: string[] = [];
  for (let index = 0; index < 20_000; index++) {
    if (index % 7_000 === 0) clock.advance(1);
    made.push(ids.next());
  }
  expect(new Set(made).size).toBe(made.length);
  expect([...made].sort()).toEqual(made);
  expect(made.every((id) => isUuid(id) && id[14] === '7' && '89ab'.includes(id[19] ?? ''))).toBe(true);
});

test('ids keep their order when the clock steps back', () => {
  const clock = aClock();
  const ids = createIds({ clock, random: systemRandom });
  const before = ids.next();
  clock.advance(-60_000);
  expect(ids.next() > before).toBe(true);
});
