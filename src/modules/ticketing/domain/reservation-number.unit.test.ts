import { expect, test } from 'vitest';
import { systemRandom } from '#platform/random.ts';
import { newReservationNumber } from './reservation-number.ts';

test('a number has eight letters in two groups, and none that is taken for another', () => {
  const numbers = Array.from({ length: 2_000 }, () => newReservationNumber(systemRandom));
  for (const number of numbers) expect(number).toMatch(/^[2-9A-HJKMNP-TV-Z]{4}-[2-9A-HJKMNP-TV-Z]{4}$/);
  expect(new Set(numbers).size).toBe(numbers.length);
});

test('a byte that would favour some letters is not used', () => {
  const bytes = [Buffer.alloc(8, 255), Buffer.alloc(8, 0)];
  const random = { fraction: Math.random, bytes: () => bytes.shift() ?? Buffer.alloc(8, 1) };
  expect(newReservationNumber(random)).toBe('2222-2222');
});
