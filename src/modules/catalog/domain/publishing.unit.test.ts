import { expect, test } from 'vitest';
import { aSellableLayout, someFacts } from '../testing/event-facts.ts';
import type { EventFacts } from './event.ts';
import { publishingProblems } from './publishing.ts';

const fieldsOf = (overrides: Partial<EventFacts>, layout = aSellableLayout) =>
  publishingProblems(someFacts(overrides), layout).map(({ field }) => field);

test('a complete event can be sold', () => {
  expect(fieldsOf({})).toEqual([]);
});

test('everything that is missing is told at once', () => {
  const nothing = {
    artistId: null,
    venueId: null,
    layoutId: null,
    startsAt: null,
    doorsAt: null,
    saleOpensAt: null,
    saleClosesAt: null,
  };
  const problems = publishingProblems(someFacts(nothing), null);
  expect(problems.map(({ field }) => field)).toEqual([
    'artistId',
    'venueId',
    'layoutId',
    'startsAt',
    'saleOpensAt',
    'saleClosesAt',
  ]);
});

test.each<[string, Partial<EventFacts>, string]>([
  ['doors open after the show began', { doorsAt: 3_001 }, 'doorsAt'],
  ['the sale outlasts the beginning of the show', { saleClosesAt: 3_001 }, 'saleClosesAt'],
  ['the sale closes as it opens', { saleOpensAt: 2_000 }, 'saleOpensAt'],
  ['a grade has no price', { prices: [] }, 'prices'],
  [
    'a price is for a grade that no seat has',
    {
      prices: [
        { grade: 'R', priceKrw: 1 },
        { grade: 'X', priceKrw: 1 },
      ],
    },
    'prices',
  ],
  [
    'a grade is priced twice',
    {
      prices: [
        { grade: 'R', priceKrw: 1 },
        { grade: 'R', priceKrw: 2 },
      ],
    },
    'prices',
  ],
  ['a standing area has no price', { ticketTypes: [] }, 'ticketTypes'],
  ['the layout is of another venue', { venueId: 'elsewhere' }, 'layoutId'],
  ['a phase begins before the sale', { phases: [{ tier: 'general', opensAt: 1 }] }, 'phases.0.opensAt'],
])('not when %s', (_, overrides, field) => {
  expect(fieldsOf(overrides)).toEqual([field]);
});

test('tickets may be free', () => {
  expect(fieldsOf({ prices: [{ grade: 'R', priceKrw: 0 }] })).toEqual([]);
});
