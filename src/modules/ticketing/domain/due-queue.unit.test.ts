import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createDueQueue } from './due-queue.ts';

test('whatever is added in whatever order comes out when it is due, the soonest first', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 100, size: 'max' }),
      fc.integer({ min: 0, max: 50 }),
      (times, nowMs) => {
        const queue = createDueQueue<number>();
        for (const time of times) queue.add(time, time);
        const taken: number[] = [];
        for (let item = queue.takeDue(nowMs); item !== undefined; item = queue.takeDue(nowMs)) taken.push(item);
        expect(taken).toEqual(times.filter((time) => time <= nowMs).sort((a, b) => a - b));
        expect(queue.size).toBe(times.filter((time) => time > nowMs).length);
      },
    ),
  );
});
