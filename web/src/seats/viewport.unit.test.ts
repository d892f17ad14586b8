import fc from 'fast-check';
import { expect, test } from 'vitest';
import { convexHull, isInside } from './hull.ts';
import { fitInto, keepInSight, toWorld, zoomAt } from './viewport.ts';

const bounds = { left: 0, top: 0, right: 1_000, bottom: 500 };
const size = { width: 200, height: 200 };

test('the whole hall is shown in the middle, as large as it can be', () => {
  expect(fitInto(bounds, size)).toEqual({ scale: 0.2, x: 0, y: -250 });
});

test('what is under the fingers stays under them', () => {
  fc.assert(
    fc.property(fc.double({ min: 0.2, max: 5, noNaN: true }), fc.integer({ min: 0, max: 200 }), (factor, x) => {
      const before = fitInto(bounds, size);
      const at = { x, y: 80 };
      const after = zoomAt(before, factor, at, { min: 0.01, max: 100 });
      const [one, other] = [toWorld(before, at), toWorld(after, at)];
      expect(other.x).toBeCloseTo(one.x, 6);
      expect(other.y).toBeCloseTo(one.y, 6);
    }),
  );
});

test('the hall cannot be moved out of sight', () => {
  expect(keepInSight({ scale: 1, x: 5_000, y: -900 }, bounds, size)).toEqual({ scale: 1, x: 800, y: 0 });
});

test('a hull holds every point', () => {
  const point = fc.record({ x: fc.integer({ min: 0, max: 99 }), y: fc.integer({ min: 0, max: 99 }) });
  fc.assert(
    fc.property(
      fc.uniqueArray(point, { minLength: 4, maxLength: 40, selector: ({ x, y }) => `${x},${y}` }),
      (points) => {
        const hull = convexHull(points);
        const corners = new Set(hull.map(({ x, y }) => `${x},${y}`));
        const middle = {
          x: hull.reduce((sum, { x }) => sum + x, 0) / hull.length,
          y: hull.reduce((sum, { y }) => sum + y, 0) / hull.length,
        };
        for (const { x, y } of points) {
          if (corners.has(`${x},${y}`) || hull.length < 3) continue;
          // A hair towards the middle: the edge itself belongs to neither side.
          const inner = { x: x + (middle.x - x) * 1e-6, y: y + (middle.y - y) * 1e-6 };
          expect(isInside(inner, hull)).toBe(true);
        }
      },
    ),
  );
});
