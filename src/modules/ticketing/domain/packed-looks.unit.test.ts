import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packLooks, unpackLooks } from './packed-looks.ts';

test('the first seat is in the lowest bits of the first byte', () => {
  expect([...packLooks(Uint8Array.of(1, 2, 3, 0, 3))]).toEqual([0b00_11_10_01, 0b11]);
  expect(packLooks(Uint8Array.of(1, 2, 3, 0, 3)).toString('base64')).toBe('OQM=');
  expect(packLooks(new Uint8Array(0))).toHaveLength(0);
});

test('twenty thousand seats are five thousand bytes', () => {
  expect(packLooks(new Uint8Array(20_000))).toHaveLength(5_000);
});

test('what is packed is what was there', () => {
  fc.assert(
    fc.property(fc.uint8Array({ max: 3, maxLength: 70 }), (looks) => {
      expect([...unpackLooks(packLooks(looks), looks.length)]).toEqual([...looks]);
    }),
  );
});
