import fc from 'fast-check';
import { expect, test } from 'vitest';
import { aStoredEvent, someFacts } from '../testing/event-facts.ts';
import { judgeChange, lockedBeforeSale, lockedBeforeSaleMs, lockedBySale } from './change-rules.ts';
import type { EventFacts } from './event.ts';

test('a draft may become anything', () => {
  const after = someFacts({ artistId: null, saleOpensAt: 1, prices: [] });
  expect(judgeChange(aStoredEvent({ publishedAt: null }), after, 1_500)).toEqual({ allowed: true });
});

test('until a minute before the sale opens everything may change', () => {
  const before = 1_000 - lockedBeforeSaleMs - 1;
  expect(judgeChange(aStoredEvent(), someFacts({ layoutId: 'other', prices: [] }), before)).toEqual({ allowed: true });
});

test('in the last minute what seats are made from is locked, also if the opening moves with it, and the rest is not', () => {
  fc.assert(
    fc.property(
      fc.subarray([...lockedBeforeSale]),
      fc.integer({ min: 1_000 - lockedBeforeSaleMs, max: 999 }),
      (fields, now) => {
        const touched = Object.fromEntries(fields.map((name) => [name, otherFacts[name]]));
        const { artistId, phases } = otherFacts;
        const after = someFacts({ ...touched, artistId, phases, title: '새 제목', saleOpensAt: 1_500 });
        const sinceMs = 1_000 - lockedBeforeSaleMs;
        expect(judgeChange(aStoredEvent(), after, now)).toEqual(
          fields.length === 0 ? { allowed: true } : { allowed: false, reason: 'about-to-open', fields, sinceMs },
        );
      },
    ),
  );
});

test('before the sale opens its opening may be moved, to the future only', () => {
  expect(judgeChange(aStoredEvent(), someFacts({ saleOpensAt: 1_500 }), 999)).toEqual({ allowed: true });
  expect(judgeChange(aStoredEvent(), someFacts({ saleOpensAt: 999 }), 999)).toEqual({
    allowed: false,
    reason: 'opens-in-the-past',
  });
});

const otherFacts: Pick<EventFacts, (typeof lockedBySale)[number]> = {
  artistId: 'other',
  venueId: 'other',
  layoutId: 'other',
  prices: [{ grade: 'R', priceKrw: 101 }],
  ticketTypes: [],
  saleOpensAt: 1_001,
  phases: [{ tier: 'general', opensAt: 1_000 }],
};

test('once the sale has opened, exactly what buyers rely on is locked', () => {
  fc.assert(
    fc.property(fc.subarray([...lockedBySale]), fc.integer({ min: 1_000, max: 1_999 }), (fields, now) => {
      const touched = Object.fromEntries(fields.map((name) => [name, otherFacts[name]]));
      const after = someFacts({ ...touched, title: '새 제목', startsAt: 4_000, saleClosesAt: 2_100, hot: true });
      expect(judgeChange(aStoredEvent(), after, now)).toEqual(
        fields.length === 0 ? { allowed: true } : { allowed: false, reason: 'sale-started', fields },
      );
    }),
  );
});

test('a sale that is on may be ended sooner or later, but not before now', () => {
  const end = (saleClosesAt: number) => judgeChange(aStoredEvent(), someFacts({ saleClosesAt }), 1_500);
  expect([end(1_501), end(2_900)]).toEqual([{ allowed: true }, { allowed: true }]);
  expect(end(1_500)).toEqual({ allowed: false, reason: 'closes-in-the-past' });
});

test('nothing changes after the end or a cancellation', () => {
  const closed = { allowed: false, reason: 'closed' };
  expect(judgeChange(aStoredEvent(), someFacts(), 2_000)).toEqual(closed);
  expect(judgeChange(aStoredEvent({ cancelledAt: 5, cancelReason: '' }), someFacts(), 10)).toEqual(closed);
});
