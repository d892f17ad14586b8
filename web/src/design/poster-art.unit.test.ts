import { expect, test } from 'vitest';
import { posterArt } from './poster-art.ts';

test('an event has the same picture everywhere', () => {
  expect(posterArt('0190e000-0000-7000-8000-000000000001')).toEqual(posterArt('0190e000-0000-7000-8000-000000000001'));
});

test('neighbouring ids get pictures that differ', () => {
  const pictures = Array.from({ length: 40 }, (_, index) => JSON.stringify(posterArt(`event-${index}`)));
  expect(new Set(pictures).size).toBe(40);
});

test('no two shapes of a picture are the same, since they are told apart by their outline', () => {
  for (let index = 0; index < 200; index += 1) {
    const outlines = posterArt(`event-${index}`).shapes.map((shape) => shape.d);
    expect(new Set(outlines).size).toBe(outlines.length);
  }
});
