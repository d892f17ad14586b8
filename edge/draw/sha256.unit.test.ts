import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toHex } from './hash.ts';
import { sha256, sha256Behind } from './sha256.ts';

const theirs = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

test('every length around the blocks is hashed as Node does', () => {
  for (let length = 0; length <= 260; length++) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 89 + length) & 255);
    expect(toHex(sha256(bytes)), `${length} bytes`).toBe(theirs(bytes));
  }
});

test('whatever the bytes, and wherever they stand in their buffer', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2_000 }), fc.nat(7), (bytes, offset) => {
      const moved = new Uint8Array(bytes.length + offset).subarray(offset);
      moved.set(bytes);
      expect(toHex(sha256(moved))).toBe(theirs(bytes));
    }),
    { numRuns: 1_000 },
  );
});

test('a million times the letter a, the example of the standard', () => {
  expect(toHex(sha256(new Uint8Array(1_000_000).fill(97)))).toBe(
    'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0',
  );
});

test('behind a prefix the hash is that of both together', () => {
  for (const blocks of [0, 1, 2])
    for (const length of [0, 1, 24, 55, 56, 64, 130]) {
      const bytes = Uint8Array.from({ length: 64 * blocks + length }, (_, i) => (i * 31) & 255);
      const hashBehind = sha256Behind(bytes.subarray(0, 64 * blocks));
      for (let again = 0; again < 2; again++)
        expect(toHex(hashBehind(bytes.subarray(64 * blocks)))).toBe(theirs(bytes));
    }
  expect(() => sha256Behind(new Uint8Array(63))).toThrow(RangeError);
});
