import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSealedTexts } from './sealed-text.ts';

const secret = 'a-ticket-secret-of-32-bytes-or-more-1';
const sealing = (kind: string, ...secrets: string[]) =>
  createSealedTexts({ kind, purpose: `tests of ${kind}`, secrets });
const texts = sealing('wait1', secret);

const aText = fc.oneof(fc.string({ maxLength: 20 }), fc.string({ unit: 'grapheme', maxLength: 20 }), fc.uuid());
const aField = fc.oneof(aText, fc.maxSafeNat(), fc.constant(null));

test('whatever is sealed comes back as it was, and needs no escaping in a header, a cookie or JSON', () => {
  fc.assert(
    fc.property(fc.array(aField, { maxLength: 8 }), (fields) => {
      const sealed = texts.seal(fields);
      const opened = texts.open(sealed);
      expect(fields.map((field) => (typeof field === 'string' ? opened?.text() : opened?.number()))).toEqual(fields);
      expect(sealed).toMatch(/^[\w.~-]+$/);
    }),
  );
});

test.each([-1, 0.5, Number.NaN, 2 ** 53])('%d is no number that a sealed text can keep', (number) => {
  expect(() => texts.seal([number])).toThrow(/cannot be sealed/);
});

test('fields cannot be moved across their borders', () => {
  const sealed = texts.seal(['ab', 'c']);
  const mac = sealed.slice(sealed.lastIndexOf('.'));
  for (const other of ['wait1.a.bc', 'wait1.abc', 'wait1.ab.c.', 'wait1.ab..c', 'wait1'])
    expect(texts.open(other + mac)).toBeNull();
});

test('a text with any character changed is not ours', () => {
  const sealed = texts.seal(['event-1', 'user-1', '42']);
  fc.assert(
    fc.property(
      fc.nat(sealed.length - 1),
      fc.constantFrom('A', 'b', '0', '-', '_', '.', ' ', '~', '\u0141'),
      (at, character) => {
        const edited = sealed.slice(0, at) + character + sealed.slice(at + 1);
        fc.pre(edited !== sealed);
        expect(texts.open(edited)).toBeNull();
      },
    ),
  );
});

test('a text of another kind or secret is not ours, and the old secret still opens while rotating', () => {
  const sealed = texts.seal(['x']);
  const next = 'the-next-ticket-secret-of-32-bytes-22';
  expect(sealing('draw1', secret).open(sealed)).toBeNull();
  expect(sealing('wait1', next).open(sealed)).toBeNull();
  const rotating = sealing('wait1', next, secret);
  const opened = rotating.open(sealed);
  expect([opened?.text(), opened?.isOld]).toEqual(['x', true]);
  expect(rotating.open(rotating.seal(['x']))?.isOld).toBe(false);
});
