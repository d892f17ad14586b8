import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSealedTickets } from './sealed-ticket.ts';

const secret = 'a-ticket-secret-of-32-bytes-or-more-1';
const tickets = createSealedTickets({ kind: 'wait1', secrets: [secret] });

const aText = fc.oneof(fc.string({ maxLength: 20 }), fc.string({ unit: 'grapheme', maxLength: 20 }), fc.uuid());
const aField = fc.oneof(aText, fc.maxSafeNat(), fc.constant(null));

test('whatever is sealed comes back as it was, and needs no escaping in a header, a cookie or JSON', () => {
  fc.assert(
    fc.property(fc.array(aField, { maxLength: 8 }), (fields) => {
      const sealed = tickets.seal(fields);
      const opened = tickets.open(sealed);
      expect(fields.map((field) => (typeof field === 'string' ? opened?.text() : opened?.number()))).toEqual(fields);
      expect(sealed).toMatch(/^[\w.~-]+$/);
    }),
  );
});

test.each([-1, 0.5, Number.NaN, 2 ** 53])('%d is no number that a ticket can keep', (number) => {
  expect(() => tickets.seal([number])).toThrow(/cannot be sealed/);
});

test('fields cannot be moved across their borders', () => {
  const sealed = tickets.seal(['ab', 'c']);
  const mac = sealed.slice(sealed.lastIndexOf('.'));
  for (const other of ['wait1.a.bc', 'wait1.abc', 'wait1.ab.c.', 'wait1.ab..c', 'wait1'])
    expect(tickets.open(other + mac)).toBeNull();
});

test('a ticket with any character changed is not ours', () => {
  const sealed = tickets.seal(['event-1', 'user-1', '42']);
  fc.assert(
    fc.property(
      fc.nat(sealed.length - 1),
      fc.constantFrom('A', 'b', '0', '-', '_', '.', ' ', '~', '\u0141'),
      (at, character) => {
        const edited = sealed.slice(0, at) + character + sealed.slice(at + 1);
        fc.pre(edited !== sealed);
        expect(tickets.open(edited)).toBeNull();
      },
    ),
  );
});

test('a ticket of another kind or secret is not ours, and the old secret still opens while rotating', () => {
  const sealed = tickets.seal(['x']);
  const next = 'the-next-ticket-secret-of-32-bytes-22';
  expect(createSealedTickets({ kind: 'draw1', secrets: [secret] }).open(sealed)).toBeNull();
  expect(createSealedTickets({ kind: 'wait1', secrets: [next] }).open(sealed)).toBeNull();
  const rotating = createSealedTickets({ kind: 'wait1', secrets: [next, secret] });
  const opened = rotating.open(sealed);
  expect([opened?.text(), opened?.isOld]).toEqual(['x', true]);
  expect(rotating.open(rotating.seal(['x']))?.isOld).toBe(false);
});
