import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isFault } from '#platform/errors.ts';
import { decodeCursor, encodeCursor, pageOf } from './paging.ts';

const id = '01990000-0001-7000-8000-000000000001';

test('a cursor comes back as it went', () => {
  expect(decodeCursor(encodeCursor(['종이', 5, id]), ['text', 'ms', 'id'])).toEqual(['종이', 5, id]);
});

test.each([
  ['nothing', ''],
  ['no JSON', Buffer.from('x').toString('base64url')],
  ['no list', encodeCursor([]).slice(0, 1)],
  ['too few parts', encodeCursor([id])],
  ['a number for a text', encodeCursor([1, 2, id])],
  ['a fraction for a time', encodeCursor(['a', 1.5, id])],
  ['a time beyond all times', encodeCursor(['a', 9e15, id])],
  ['a time that no database holds', encodeCursor(['a', -8.64e15, id])],
  ['no id', encodeCursor(['a', 1, 'x'])],
  ['text that cannot be stored', encodeCursor(['a\0', 1, id])],
])('%s is refused', (_, cursor) => {
  expect(() => decodeCursor(cursor, ['text', 'ms', 'id'])).toThrow(
    expect.objectContaining({ code: 'VALIDATION_FAILED' }),
  );
});

test('whatever is sent as a cursor is taken or refused, and never breaks', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.base64String(),
        fc.json().map((text) => Buffer.from(text).toString('base64url')),
      ),
      (cursor) => {
        try {
          decodeCursor(cursor, ['ms', 'id']);
        } catch (error) {
          expect(isFault(error, 'VALIDATION_FAILED')).toBe(true);
        }
      },
    ),
  );
});

test('there is a next page only when a row was left over', () => {
  const cursorOf = (row: number) => `after ${row}`;
  expect(pageOf([1, 2, 3], 2, cursorOf)).toEqual({ items: [1, 2], nextCursor: 'after 2' });
  expect(pageOf([1, 2], 2, cursorOf)).toEqual({ items: [1, 2], nextCursor: null });
  expect(pageOf([], 2, cursorOf)).toEqual({ items: [], nextCursor: null });
});
