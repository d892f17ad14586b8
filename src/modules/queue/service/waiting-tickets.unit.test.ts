import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createWaitingTickets } from './waiting-tickets.ts';

const secret = 'a-ticket-secret-of-32-bytes-or-more-1';
const next = 'the-next-ticket-secret-of-32-bytes-22';
const tickets = createWaitingTickets({ secrets: [secret] });
const ann = {
  eventId: 'e',
  userId: 'ann',
  order: 2 ** 45 + 7,
  epoch: 3,
  takenAtMs: 1_800_000_000_000,
  predicted: 12.5,
};

test('a ticket comes back as it was, each time', () => {
  for (const ticket of [ann, { ...ann, predicted: null }, { ...ann, predicted: 0 }, { ...ann, userId: 'ann.b~c 안' }]) {
    const text = tickets.seal(ticket);
    expect(text).toMatch(/^[\w.~-]+$/);
    for (let i = 0; i < 3; i++) expect(tickets.open(text)).toEqual({ kind: 'waiting', ...ticket, isOld: false });
  }
  const pending = { eventId: 'e', userId: 'ann', requestedAtMs: 1_800_000_000_000 };
  expect(tickets.open(tickets.sealPending(pending))).toEqual({ kind: 'pending', ...pending, isOld: false });
});

test('tickets of earlier versions are still good', () => {
  const waiting = 'uqw2.show.ann.35184372088874.3.1800000000000.125.1RK5SJeYa06WvB5GnD8fbF';
  expect(tickets.open(waiting)).toMatchObject({ kind: 'waiting', eventId: 'show', userId: 'ann', order: 2 ** 45 + 42 });
  const pending = 'uqp2.show.ann.1800000000000.ihXqjLyuuHoyPC-h2bpien';
  expect(tickets.open(pending)).toMatchObject({ kind: 'pending', userId: 'ann', requestedAtMs: 1_800_000_000_000 });
});

test('every order is kept exactly', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 46 }), (order) => {
      expect(tickets.open(tickets.seal({ ...ann, order }))).toMatchObject({ order });
    }),
  );
});

test('no edited ticket opens, whatever was opened before', () => {
  const text = tickets.seal(ann);
  tickets.open(text);
  fc.assert(
    fc.property(fc.nat(text.length - 1), fc.constantFrom('A', 'b', '0', '-', '_', '.'), (at, character) => {
      const edited = text.slice(0, at) + character + text.slice(at + 1);
      fc.pre(edited !== text);
      expect(tickets.open(edited)).toBeNull();
    }),
  );
});

test('a pending ticket cannot be turned into a place', () => {
  const pending = tickets.sealPending({ eventId: 'e', userId: 'ann', requestedAtMs: 1 });
  expect(tickets.open(pending.replace('uqp', 'uqw'))).toBeNull();
});

test('tickets of the old secret open while it is still listed, and are renewed by the first one', () => {
  const rotating = createWaitingTickets({ secrets: [next, secret] });
  for (const text of [tickets.seal(ann), tickets.sealPending({ eventId: 'e', userId: 'ann', requestedAtMs: 5 })]) {
    const opened = rotating.open(text);
    if (opened === null) throw new Error('not opened');
    expect(opened).toMatchObject({ userId: 'ann', isOld: true });
    const renewed = createWaitingTickets({ secrets: [next] }).open(rotating.renew(opened));
    expect(renewed).toEqual({ ...opened, isOld: false });
    expect(createWaitingTickets({ secrets: [next] }).open(text)).toBeNull();
  }
});
