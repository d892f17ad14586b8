import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { leaveSlot } from '../queue/leave-slot.ts';
import { holdState } from '../reservations/live-hold.ts';
import { holdStanding } from '../reservations/reservation-queries.ts';
import type { Reservation } from '../reservations/reservation-types.ts';
import type { Booking } from './use-booking.ts';

/**
 * Follows what becomes of a hold while it is shown, and tells every tab. The map does not say it: a payment ends the hold and the
 * slot, and then the page would go on showing what it knew last.
 */
export function useHoldStanding({ tell }: Booking, hold: Reservation): void {
  const { data } = useQuery(holdStanding(hold));
  useEffect(() => {
    if (data === undefined || data.id !== hold.id || data.status === hold.status) return;
    if (holdState(data, 0) === 'booked') leaveSlot(hold.eventId);
    const isGivenUp = data.status === 'released' || data.status === 'cancelled';
    tell(isGivenUp ? { held: null, endedId: hold.id } : { held: data, endedId: null });
  }, [data, hold, tell]);
}
