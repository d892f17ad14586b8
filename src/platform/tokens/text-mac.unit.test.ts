import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createKeyedMac, createTextMac, shortMacLength } from './text-mac.ts';

const anyText = fc.string({ unit: 'grapheme', maxLength: 300 });

test('it is HMAC-SHA-256 under a key made of secret and purpose, for texts and secrets of every length', () => {
  fc.assert(
    fc.property(anyText, anyText, fc.constantFrom(shortMacLength, 43), (secret, text, length) => {
      const key = createHmac('sha256', secret).update('tests').digest('hex');
      const expected = createHmac('sha256', key).update(text).digest('base64url').slice(0, length);
      const mac = createTextMac({ secret, purpose: 'tests', length });
      expect(mac.of(text)).toBe(expected);
      expect(mac.stands(text, expected, 0)).toBe(true);
      expect(mac.stands(text, `${text}.${expected}`, text.length + 1)).toBe(true);
    }),
  );
});

test('under a given key it is plain HMAC-SHA-256, for keys of every length and alphabet', () => {
  const asciiKey = fc.string({ unit: 'grapheme-ascii', maxLength: 130 });
  fc.assert(
    fc.property(fc.oneof(anyText, asciiKey), anyText, (key, text) => {
      const expected = createHmac('sha256', key).update(text).digest('base64url');
      expect(createKeyedMac(key).of(text)).toBe(expected);
      expect(createKeyedMac(key).stands(text, expected, 0)).toBe(true);
    }),
  );
});

test('nothing else passes: no other text, length, character, secret or purpose', () => {
  const mac = createTextMac({ secret: 'one', purpose: 'tests', length: shortMacLength });
  const ours = mac.of('text');
  expect(mac.stands('texts', ours, 0)).toBe(false);
  expect(createTextMac({ secret: 'two', purpose: 'tests' }).of('text')).not.toContain(ours);
  expect(createTextMac({ secret: 'one', purpose: 'others' }).of('text')).not.toContain(ours);
  for (const edited of ['', ours.slice(1), `${ours}A`, createTextMac({ secret: 'one', purpose: 'tests' }).of('text')])
    expect(mac.stands('text', edited, 0)).toBe(false);
  for (let at = 0; at < ours.length; at++) {
    // One bit; another letter; the same byte, were a character cut to one.
    for (const code of [ours.charCodeAt(at) ^ 1, 0x7a - (at % 2), ours.charCodeAt(at) + 0x100]) {
      const edited = ours.slice(0, at) + String.fromCharCode(code) + ours.slice(at + 1);
      expect(mac.stands('text', edited, 0)).toBe(edited === ours);
    }
  }
});
