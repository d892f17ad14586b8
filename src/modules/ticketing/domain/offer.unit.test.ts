import { expect, it } from 'vitest';
import { fingerprintOf, firstOpeningMs, type Offer } from './offer.ts';

const type = { id: 't', areaId: 'Z', name: '스탠딩', nameEn: null, capacity: 10, priceKrw: 50 };
const offer: Offer = { layoutId: 'l', prices: [{ grade: 'R', priceKrw: 100 }], ticketTypes: [type] };

it('what else is said of an event does not change its offer', () => {
  const event = { ...offer, title: '다른 제목', version: 7, prices: [{ priceKrw: 100, grade: 'R' }] };
  expect(fingerprintOf(event)).toBe(fingerprintOf(offer));
});

it.each([
  ['layout', { layoutId: 'm' }],
  ['price', { prices: [{ grade: 'R', priceKrw: 101 }] }],
  ['grade', { prices: [{ grade: 'S', priceKrw: 100 }] }],
  ['number of prices', { prices: [] }],
  ['ticket type', { ticketTypes: [{ ...type, id: 'u' }] }],
  ['number of places', { ticketTypes: [{ ...type, capacity: 11 }] }],
  ['price of a place', { ticketTypes: [{ ...type, priceKrw: 51 }] }],
  ['name of an area', { ticketTypes: [{ ...type, nameEn: 'Standing' }] }],
])('another %s is another offer', (_, change) => {
  expect(fingerprintOf({ ...offer, ...change })).not.toBe(fingerprintOf(offer));
});

it('a sale begins with its first phase', () => {
  const saleOpensAt = '2027-03-01T11:00:00.000Z';
  expect(firstOpeningMs({ saleOpensAt, phases: [] })).toBe(Date.parse(saleOpensAt));
  expect(
    firstOpeningMs({ saleOpensAt, phases: [{ opensAt: '2027-02-28T11:00:00.000Z' }, { opensAt: saleOpensAt }] }),
  ).toBe(Date.parse('2027-02-28T11:00:00.000Z'));
});
