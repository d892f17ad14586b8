import type { Reservation } from '../reservation-types.ts';

/** Two seats of an event, held until 11:05. */
export function aReservation(changes: Partial<Reservation> = {}): Reservation {
  const seat = { section: 'B', row: '3', grade: 'R', priceKrw: 143_000 };
  return {
    id: 'reservation',
    reservationNumber: 'K7M2-P4QX',
    eventId: 'event',
    status: 'pending',
    paymentStatus: 'none',
    seats: [
      { ...seat, seatId: 'B-3-12', label: '12' },
      { ...seat, seatId: 'B-3-13', label: '13' },
    ],
    items: [],
    feeKrw: 6_000,
    totalKrw: 292_000,
    expiresAt: '2026-12-01T11:05:00.000Z',
    fence: 1,
    createdAt: '2026-12-01T11:00:00.000Z',
    ...changes,
  };
}
