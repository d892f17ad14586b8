import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSealedTickets } from './sealed-ticket.ts';

const secret = 'a-ticket-secret-of-32-bytes-or-more-1';
const tickets = createSealedTickets({ kind: 'wait1', secrets: [secret] });

test('whatever is sealed comes back as it was, and needs no escaping in a header, a cookie or JSON', () => {
  const field = fc.oneof(fc.string({ maxLength: 20 }), fc.string({ unit: 'grapheme', maxLength: 20 }), fc.uuid());
  fc.assert(
    fc.property(fc.array(field, { maxLength: 8 }), (fields) => {
      const sealed = tickets.seal(fields);
      expect(tickets.open(sealed)).toEqual(fields);
      expect(sealed).toMatch(/^[\w.~-]+$/);
    }),
  );
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
  expect(createSealedTickets({ kind: 'wait1', secrets: [next, secret] }).open(sealed)).toEqual(['x']);
});
