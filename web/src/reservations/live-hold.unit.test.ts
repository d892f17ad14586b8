import { expect, test } from 'vitest';
import { groupOf } from './groups.ts';
import { holdState, holdWarning, ticketCount } from './live-hold.ts';
import { aReservation } from './testing/a-reservation.ts';

const at = (time: string) => Date.parse(`2026-12-01T${time}Z`);

test('a hold ends at its time, whatever its status still says', () => {
  expect(holdState(aReservation(), at('11:04:59'))).toBe('held');
  expect(holdState(aReservation(), at('11:05:00'))).toBe('over');
  expect(holdState(aReservation({ status: 'paying' }), at('12:00:00'))).toBe('paying');
  expect(holdState(aReservation({ status: 'confirmed' }), at('12:00:00'))).toBe('booked');
  expect(holdState(aReservation({ status: 'released' }), at('11:00:00'))).toBe('none');
});

test('warns a minute and twenty seconds before, once each, and after a sleep only of what is left', () => {
  expect(holdWarning(61_000, 60_000)).toBe('minute');
  expect(holdWarning(60_000, 59_000)).toBeNull();
  expect(holdWarning(21_000, 20_000)).toBe('seconds');
  expect(holdWarning(300_000, 5_000)).toBe('seconds');
  expect(holdWarning(5_000, -1)).toBeNull();
});

test('tickets are counted over seats and places', () => {
  const items = [{ ticketTypeId: 't', areaId: 'Z1', quantity: 3, priceKrw: 0 }];
  expect(ticketCount(aReservation({ items }))).toBe(5);
});

test('bookings stand under what is to come, what was, and what is over', () => {
  const show = at('20:00:00');
  const confirmed = aReservation({ status: 'confirmed' });
  expect(groupOf(confirmed, show, at('11:00:00'))).toBe('upcoming');
  expect(groupOf(confirmed, show, at('21:00:00'))).toBe('upcoming');
  expect(groupOf(confirmed, show, show + 24 * 3_600_000)).toBe('past');
  expect(groupOf(confirmed, null, at('11:00:00'))).toBe('upcoming');
  expect(groupOf(aReservation(), show, at('11:06:00'))).toBe('cancelled');
  expect(groupOf(aReservation({ status: 'released' }), show, at('11:00:00'))).toBe('cancelled');
});
