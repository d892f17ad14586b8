import { defineErrors, type Fault } from '../errors.ts';

/** One code for everybody who is sent to the waiting room first: the gateway says it by the edge decision, the queue by its own. */
export const tier1Errors = defineErrors({
  WAITING_ROOM_REQUIRED: {
    status: 403,
    title: 'The waiting room is open for this event',
    help: 'So many people came that entry is by number. Follow `redirectTo` and come back with the token it gives. A place or an unspent waiting ticket that you already have also lets you in.',
  },
});

/** `location`: a path of this site. */
export function waitingRoomRequired(location: string): Fault {
  return tier1Errors.fault('WAITING_ROOM_REQUIRED', { extensions: { redirectTo: location } });
}

/** The page of an event's waiting room. */
export function waitingRoomOf(eventId: string): string {
  return `/vwr/${encodeURIComponent(eventId)}`;
}
