import { expect, test } from 'vitest';
import { parsePlace } from './kept-places.ts';

test('a kept place is read as it was written', () => {
  for (const place of [
    { user: 'mina', slotEndsAtMs: 5 },
    { user: null, slotEndsAtMs: null },
    { user: undefined, slotEndsAtMs: null },
  ]) {
    expect(parsePlace(JSON.stringify(place))).toEqual(place);
  }
});

test.each([null, '', 'x', '7', 'null', '"a"'])('%j was not written by these pages', (text) => {
  expect(parsePlace(text)).toBeNull();
});
