import { expect, test } from 'vitest';
import { refundOf } from './refund-terms.ts';

/** A time in Seoul. */
const seoul = (time: string) => Date.parse(`${time}+09:00`) * 1_000;
const show = seoul('2027-03-20T19:00:00');
const ticket = { priceKrw: 110_000, feeKrw: 3_000, termsId: 1, bookedAt: seoul('2027-01-05T12:00:00'), showsAt: show };
const at = (time: string, more: Partial<typeof ticket> = {}) =>
  refundOf({ ...ticket, ...more }, seoul(time), { inFull: false });

test.each([
  ['2027-03-10T23:59:59.999', 10, 'ten_days', 110_000],
  ['2027-03-11T00:00:00', 9, 'seven_days', 99_000],
  ['2027-03-13T23:59:59.999', 7, 'seven_days', 99_000],
  ['2027-03-14T00:00:00', 6, 'three_days', 88_000],
  ['2027-03-17T23:59:59.999', 3, 'three_days', 88_000],
  ['2027-03-18T00:00:00', 2, 'one_day', 77_000],
  ['2027-03-19T23:59:59.999', 1, 'one_day', 77_000],
  ['2027-03-20T00:00:00', 0, 'same_day', 11_000],
  ['2027-03-20T18:59:59.999', 0, 'same_day', 11_000],
])('at %s, %i days before the show, the rule is %s', (time, daysBefore, rule, refundKrw) => {
  expect(at(time)).toEqual({
    ...{ rule, daysBefore, cancellationFeeKrw: 110_000 - refundKrw, feeKeptKrw: 3_000, refundKrw },
  });
});

test('within 24 hours of the booking the price comes back as a whole, up to three days before the show', () => {
  const bookedAt = seoul('2027-03-16T15:00:00');
  expect(at('2027-03-17T14:59:59.999', { bookedAt })).toMatchObject({ rule: 'within_24h', refundKrw: 110_000 });
  expect(at('2027-03-17T15:00:00', { bookedAt })).toMatchObject({ rule: 'three_days', refundKrw: 88_000 });
  const late = seoul('2027-03-17T20:00:00');
  expect(at('2027-03-17T23:59:59.999', { bookedAt: late })).toMatchObject({ rule: 'within_24h', refundKrw: 113_000 });
  expect(at('2027-03-18T00:00:00', { bookedAt: late })).toMatchObject({ rule: 'one_day', refundKrw: 77_000 });
});

test('the booking fee comes back until midnight in Seoul of the day of the booking', () => {
  const bookedAt = seoul('2027-02-01T23:59:00');
  expect(at('2027-02-01T23:59:59.999', { bookedAt })).toMatchObject({ feeKeptKrw: 0, refundKrw: 113_000 });
  expect(at('2027-02-02T00:00:00', { bookedAt })).toMatchObject({ feeKeptKrw: 3_000, refundKrw: 110_000 });
});

test('what is kept is rounded down, ticket by ticket', () => {
  expect(at('2027-03-12T12:00:00', { priceKrw: 99 })).toMatchObject({ cancellationFeeKrw: 9, refundKrw: 90 });
  expect(at('2027-03-20T12:00:00', { priceKrw: 1 })).toMatchObject({ cancellationFeeKrw: 0, refundKrw: 1 });
});

test('in full, for tickets from before there were terms, and for free ones nothing is kept', () => {
  const day = seoul('2027-03-20T12:00:00');
  expect(refundOf(ticket, day, { inFull: true })).toMatchObject({ rule: 'full', refundKrw: 113_000 });
  expect(at('2027-03-20T12:00:00', { termsId: 0 })).toMatchObject({ rule: 'full', refundKrw: 113_000 });
  expect(at('2027-03-20T12:00:00', { priceKrw: 0, feeKrw: 0 })).toMatchObject({ cancellationFeeKrw: 0, refundKrw: 0 });
});
