import { expect, test } from 'vitest';
import { uuidPattern } from '#platform/ids.ts';
import { namedId, refundIdOf } from './named-ids.ts';

test('the same parts give the same id, other parts another one, and each is a UUID', () => {
  expect(refundIdOf.cancellation('c', 'o')).toBe(refundIdOf.cancellation('c', 'o'));
  expect(new Set([namedId('a', 'bc'), namedId('ab', 'c'), namedId('abc'), refundIdOf.orphan('c')]).size).toBe(4);
  expect(refundIdOf.found('p', 'r')).toMatch(new RegExp(uuidPattern));
});
