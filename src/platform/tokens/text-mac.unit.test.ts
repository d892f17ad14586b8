import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTextMac, shortMacLength } from './text-mac.ts';

const anyText = fc.string({ unit: 'grapheme', maxLength: 300 });

test('it is HMAC-SHA-256 under a key made of secret and purpose, for texts and secrets of every length', () => {
  fc.assert(
    fc.property(anyText, anyText, fc.constantFrom(shortMacLength, 43), (secret, text, length) => {
      const key = createHmac('sha256', secret).update('tests').digest('hex');
      const expected = createHmac('sha256', key).update(text).digest('base64url').slice(0, length);
      const mac = createTextMac({ secret, purpose: 'tests', length });
      expect(mac.of(text)).toBe(expected);
      expect(mac.matches(text, expected)).toBe(true);
    }),
  );
});

test('nothing else matches: no other text, length, character, secret or purpose', () => {
  const mac = createTextMac({ secret: 'one', purpose: 'tests', length: shortMacLength });
  const ours = mac.of('text');
  expect(mac.matches('texts', ours)).toBe(false);
  expect(createTextMac({ secret: 'two', purpose: 'tests' }).of('text')).not.toContain(ours);
  expect(createTextMac({ secret: 'one', purpose: 'others' }).of('text')).not.toContain(ours);
  for (const edited of ['', ours.slice(1), `${ours}A`, createTextMac({ secret: 'one', purpose: 'tests' }).of('text')])
    expect(mac.matches('text', edited)).toBe(false);
  fc.assert(
    fc.property(fc.nat(ours.length - 1), fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), (at, character) => {
      fc.pre(character !== ours[at]);
      expect(mac.matches('text', ours.slice(0, at) + character + ours.slice(at + 1))).toBe(false);
      // The same byte, were a character cut to one.
      const alike = String.fromCharCode(ours.charCodeAt(at) + 0x100);
      expect(mac.matches('text', ours.slice(0, at) + alike + ours.slice(at + 1))).toBe(false);
    }),
  );
});

test('a MAC that was refused does not help the next one', () => {
  const mac = createTextMac({ secret: 'one', purpose: 'tests' });
  const ours = mac.of('text');
  expect(mac.matches('text', ours)).toBe(true);
  expect(mac.matches('other', ours)).toBe(false);
  expect(mac.matches('text', mac.of('other'))).toBe(false);
  expect(mac.matches('text', ours)).toBe(true);
});
