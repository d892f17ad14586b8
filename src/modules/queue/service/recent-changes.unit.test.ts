import { expect, test } from 'vitest';
import { aClock } from '#test/kit/clock.ts';
import type { LateChange, StoreChange } from '../ports.ts';
import { createRecentChanges, lateChanges } from './recent-changes.ts';

const spent = (order: number): LateChange => ({ kind: 'spent', order });
const slot = (order: number) => ({ slotId: `slot-${order}`, userId: `user-${order}`, order, endsAtMs: 1 });

test('what was noted before an epoch is handed out once, in its order', () => {
  const recent = createRecentChanges({ clock: aClock() });
  recent.note('show', 1, [spent(1), spent(2)]);
  recent.note('other', 1, [spent(9)]);
  recent.note('show', 2, [spent(3)]);
  expect(recent.takeBefore('show', 1)).toEqual([]);
  expect(recent.takeBefore('show', 2)).toEqual([spent(1), spent(2)]);
  expect(recent.takeBefore('show', 2)).toEqual([]);
  expect(recent.takeBefore('show', 3)).toEqual([spent(3)]);
});

test('an answer that was under way while the epoch changed is handed out with the next one', () => {
  const recent = createRecentChanges({ clock: aClock() });
  recent.note('show', 2, [spent(2)]);
  recent.note('show', 1, [spent(1)]);
  expect(recent.takeBefore('show', 2)).toEqual([spent(1)]);
});

test('what is older than some ticks has reached the journal and is not told again', () => {
  const clock = aClock();
  const recent = createRecentChanges({ clock });
  recent.note('show', 1, [spent(1)]);
  clock.advance(4_000);
  recent.note('show', 1, [spent(2)]);
  clock.advance(2_000);
  expect(recent.takeBefore('show', 2)).toEqual([spent(2)]);
});

test('however much happens, only the latest is kept', () => {
  const clock = aClock();
  const recent = createRecentChanges({ clock });
  for (let order = 1; order <= 100_000; order += 1) recent.note('show', 1, [spent(order)]);
  const kept = recent.takeBefore('show', 2);
  expect(kept.at(-1)).toEqual(spent(100_000));
  expect(kept.length).toBeLessThanOrEqual(20_000);
});

test('an answer of the same epoch costs one comparison, however much was noted in it', () => {
  const recent = createRecentChanges({ clock: aClock() });
  for (let order = 1; order <= 10_000; order += 1) recent.note('show', 1, [spent(order)]);
  let compared = 0;
  const counted = {
    valueOf() {
      compared += 1;
      return 1;
    },
  };
  // Compared like the number that it stands for, which is all that is done with an epoch here.
  expect(recent.takeBefore('show', counted as unknown as number)).toEqual([]);
  expect(compared).toBe(1);
});

test('of changes that cannot be written any more, a place that was given back keeps its slot', () => {
  const changes: StoreChange[] = [
    { kind: 'slot', slot: slot(1), claimed: false },
    { kind: 'spent', order: 1 },
    { kind: 'unspent', order: 1 },
    { kind: 'slot-ended', userId: 'user-1', slotId: 'slot-1' },
    { kind: 'spent', order: 2 },
    { kind: 'slot-ended', userId: 'user-3', slotId: 'slot-3' },
  ];
  expect(lateChanges(changes)).toEqual([changes[0], changes[4], changes[5]]);
});
