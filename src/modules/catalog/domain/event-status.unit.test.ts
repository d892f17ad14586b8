import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventStatus, nextStatusChange, type StatusMarks, saleHasOpened } from './event-status.ts';

const published: StatusMarks = {
  publishedAt: 1,
  cancelledAt: null,
  soldOut: false,
  saleOpensAt: 1_000,
  saleClosesAt: 2_000,
};

test('an event that was not published is a draft, whatever the time', () => {
  expect(eventStatus({ ...published, publishedAt: null }, 1_500)).toBe('draft');
});

test('the status changes in the very millisecond that the sale opens and closes', () => {
  expect(eventStatus(published, 999)).toBe('announced');
  expect(eventStatus(published, 1_000)).toBe('on_sale');
  expect(eventStatus(published, 1_999)).toBe('on_sale');
  expect(eventStatus(published, 2_000)).toBe('ended');
});

test('sold out is a state of the sale, not of what comes before or after it', () => {
  const soldOut = { ...published, soldOut: true };
  expect([999, 1_000, 2_000].map((now) => eventStatus(soldOut, now))).toEqual(['announced', 'sold_out', 'ended']);
});

test('cancelled wins over everything', () => {
  expect([0, 1_500, 3_000].map((now) => eventStatus({ ...published, cancelledAt: 5 }, now))).toEqual([
    'cancelled',
    'cancelled',
    'cancelled',
  ]);
});

const time = fc.option(fc.integer({ min: 0, max: 100 }), { nil: null });
const anyMarks: fc.Arbitrary<StatusMarks> = fc.record({
  publishedAt: time,
  cancelledAt: time,
  soldOut: fc.boolean(),
  saleOpensAt: time,
  saleClosesAt: time,
});

test('between two announced changes the status stands still, and at each it moves', () => {
  fc.assert(
    fc.property(anyMarks, fc.integer({ min: -1, max: 101 }), (marks, now) => {
      const next = nextStatusChange(marks, now);
      expect(next).toBeGreaterThan(now);
      const until = Math.min(next, 200);
      for (let at = now; at < until; at++) expect(eventStatus(marks, at)).toBe(eventStatus(marks, now));
      if (next !== Number.POSITIVE_INFINITY) expect(eventStatus(marks, next)).not.toBe(eventStatus(marks, now));
    }),
  );
});

test('time never leads back to an earlier status', () => {
  const order = ['draft', 'announced', 'on_sale', 'sold_out', 'ended', 'cancelled'];
  fc.assert(
    fc.property(anyMarks, fc.nat(100), fc.nat(100), (marks, from, ms) => {
      const rank = (now: number) => order.indexOf(eventStatus(marks, now));
      expect(rank(from + ms)).toBeGreaterThanOrEqual(rank(from));
    }),
  );
});

test('a sale that has opened stays opened', () => {
  expect(saleHasOpened(published, 999)).toBe(false);
  expect(saleHasOpened(published, 1_000)).toBe(true);
  expect(saleHasOpened(published, 9_999)).toBe(true);
  expect(saleHasOpened({ ...published, publishedAt: null }, 1_000)).toBe(false);
});
