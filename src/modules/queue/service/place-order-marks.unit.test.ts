import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packPlaceOrder } from '../domain/place-order.ts';
import { createPlaceOrderMarks } from './place-order-marks.ts';

const anOrder = fc
  .record({
    lane: fc.constantFrom<0 | 1>(0, 1),
    era: fc.integer({ min: 0, max: 3 }),
    number: fc.oneof(fc.integer({ min: 1, max: 70 }), fc.integer({ min: 1, max: 200_000 })),
  })
  .map(packPlaceOrder);

test('it holds what a set of the same orders holds', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ order: anOrder, add: fc.boolean() }), { maxLength: 200 }), (steps) => {
      const [marks, set] = [createPlaceOrderMarks(), new Set<number>()];
      for (const { order, add } of steps) {
        if (add) marks.add(order);
        else marks.delete(order);
        if (add) set.add(order);
        else set.delete(order);
        for (const each of steps) expect(marks.has(each.order)).toBe(set.has(each.order));
      }
    }),
    { numRuns: 50 },
  );
});

test('beyond its bound it remembers nothing new, and keeps what it has', () => {
  const marks = createPlaceOrderMarks(1);
  expect(marks.isEmpty).toBe(true);
  marks.add(5);
  marks.add(10_000_000);
  expect([marks.has(5), marks.has(10_000_000), marks.isEmpty]).toEqual([true, false, false]);
});
