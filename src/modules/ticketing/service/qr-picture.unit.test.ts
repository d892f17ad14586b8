import { encode } from 'uqr';
import { expect, test } from 'vitest';
import { qrPictureOf } from './qr-picture.ts';

test('the picture has exactly the black modules of the code, within a quiet zone of four', () => {
  const code = `urr1.${'Ab3_'.repeat(35).slice(0, 139)}`;
  const svg = qrPictureOf(code);
  const { size, data } = encode(code, { ecc: 'M', border: 0 });
  expect(svg).toContain(`viewBox="0 0 ${size + 8} ${size + 8}"`);
  const drawn = data.map((row) => row.map(() => false));
  for (const [, x, y, length] of svg.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
    for (let n = 0; n < Number(length); n++) (drawn[Number(y) - 4] ?? [])[Number(x) - 4 + n] = true;
  }
  expect(drawn).toEqual(data);
  expect(svg.length).toBeLessThan(16_000);
});
