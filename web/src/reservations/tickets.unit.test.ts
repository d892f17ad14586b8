import { expect, test } from 'vitest';
import { parseTickets } from './kept-tickets.ts';
import { qrPath } from './qr-path.ts';
import type { Ticket } from './reservation-types.ts';
import { orderTickets } from './ticket-order.ts';

function aTicket(id: string, startsAt: string, changes: Partial<Ticket> = {}): Ticket {
  return {
    id,
    reservationId: 'reservation',
    reservationNumber: 'K7M2-P4QX',
    eventId: 'event',
    event: { title: '공연', titleEn: null, venue: '홀', venueEn: null, startsAt, doorsAt: null, cancelled: false },
    seat: { seatId: `B-3-${id}`, section: 'B', row: '3', label: id, grade: 'R', priceKrw: 0 },
    area: null,
    priceKrw: 0,
    feeKrw: 0,
    state: 'issued',
    version: 1,
    issuedAt: startsAt,
    checkedInAt: null,
    voidReason: null,
    refundKrw: null,
    ...changes,
  };
}

test('the next show comes first, seats in their order; what opens no door any more is apart', () => {
  const now = Date.parse('2026-12-01T00:00:00Z');
  const later = aTicket('1', '2026-12-24T10:00:00Z');
  const ten = aTicket('10', '2026-12-02T10:00:00Z');
  const nine = aTicket('9', '2026-12-02T10:00:00Z');
  const past = aTicket('2', '2026-11-01T10:00:00Z');
  const cancelled = aTicket('3', '2026-12-03T10:00:00Z', { state: 'void' });
  const { good, over } = orderTickets([later, past, ten, cancelled, nine], now);
  expect(good).toEqual([nine, ten, later]);
  expect(over).toEqual([cancelled, past]);
});

test('what was kept by something else is not taken for tickets', () => {
  expect(parseTickets(null)).toBeNull();
  expect(parseTickets('{"name":"관객"}')).toBeNull();
  const kept = { name: '관객', savedAtMs: 1, tickets: [], codes: {} };
  expect(parseTickets(JSON.stringify(kept))).toEqual(kept);
});

test('a code is drawn with a quiet border', () => {
  const { size, path } = qrPath('urr1.abc');
  expect(size).toBeGreaterThanOrEqual(21 + 8);
  // The upper left corner of the first finder pattern.
  expect(path.startsWith('M4 4h7v1h-7z')).toBe(true);
});
