import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createCompressedBodies, takesEncoding } from './compressed-bodies.ts';
import { PreparedJson, publicJson } from './contract.ts';

const text = JSON.stringify(Array.from({ length: 1_000 }, (_, seat) => ({ seat, row: '가' })));

test('a body is sent as it is until the smaller one is there, and nobody waits for that', async () => {
  const bodies = createCompressedBodies(Buffer.from(text));
  expect(bodies.for('gzip, deflate, br')).toBeNull();
  await bodies.prepare();
  const small = bodies.for('gzip, deflate, br');
  expect(small?.encoding).toBe('br');
  await expect.poll(() => bodies.for('gzip, br')?.body.length).toBeLessThan(text.length / 4);
  expect(brotliDecompressSync(bodies.for('br')?.body ?? '').toString()).toBe(text);
  expect(gunzipSync(bodies.for('gzip')?.body ?? '').toString()).toBe(text);
  expect([bodies.for(undefined), bodies.for('identity'), bodies.for('br;q=0')]).toEqual([null, null, null]);
});

test('an encoding is taken when it is named without a weight', () => {
  expect(['br', 'gzip, br', 'gzip,br , zstd', 'brotli', 'br;q=0', ''].map((one) => takesEncoding(one, 'br'))).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});

test('what is small is not compressed, and what says the same is the same', () => {
  expect(publicJson(Buffer.from('{}'), 'W/"1"').compressed).toBeUndefined();
  const one = publicJson(Buffer.from(text), 'W/"1"');
  expect(one.compressed).toBeDefined();
  expect(one.isSame(publicJson(Buffer.from(text), 'W/"1"'))).toBe(true);
  expect(one.isSame(publicJson(Buffer.from(text), 'W/"2"'))).toBe(false);
  expect(one.isSame(publicJson(Buffer.from(`${text} `), 'W/"1"'))).toBe(false);
  expect(new PreparedJson('{}').isSame(new PreparedJson('{}'))).toBe(true);
});
