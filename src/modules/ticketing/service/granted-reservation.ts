import { assert } from '#platform/assert.ts';
import { isoTime } from '#platform/clock.ts';
import type { Reservation } from '../schemas.ts';
import type { HoldAnswer, PreparedHold } from '../storage/holds.ts';

/** A reservation at the moment of its grant: what its row says, without reading it. */
export function grantedReservation(
  { request, reservationId, number, lines }: PreparedHold,
  { fence, createdAtMs, expiresAtMs }: Extract<HoldAnswer, { verdict: 'granted' }>,
): Reservation {
  return {
    id: reservationId,
    reservationNumber: number,
    eventId: request.eventId,
    status: 'pending',
    paymentStatus: 'none',
    seats: lines.seats.map(({ seatId, grade, priceKrw }) => {
      const [section, row, label] = seatId.split('-');
      assert(section !== undefined && row !== undefined && label !== undefined, 'a seat id has three parts');
      return { seatId, section, row, label, grade, priceKrw };
    }),
    items: lines.items.map(({ ticketTypeId, areaId, quantity, priceKrw }) => ({
      ticketTypeId,
      areaId,
      quantity,
      priceKrw,
    })),
    feeKrw: lines.feeKrw,
    totalKrw: lines.totalKrw,
    expiresAt: isoTime(expiresAtMs),
    fence,
    createdAt: isoTime(createdAtMs),
  };
}
