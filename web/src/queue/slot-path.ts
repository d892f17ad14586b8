import type { EventDetail } from '../events/event-types.ts';

/** Where a slot is used: seats first where there are both. Not known yet: the page of the seats finds out. */
export function slotPath(eventId: string, event?: Pick<EventDetail, 'seatCount' | 'standingCapacity'> | null): string {
  const isStanding = event != null && event.seatCount === 0 && event.standingCapacity > 0;
  return `/events/${eventId}/${isStanding ? 'book' : 'seats'}`;
}
