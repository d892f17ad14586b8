import { defineErrors } from '#platform/errors.ts';

export const queueErrors = defineErrors({
  NUMBER_TAKEN: {
    status: 403,
    title: 'This number belongs to somebody else or was used',
    help: 'A number of the waiting room is good for one place of one user. Take a number of your own at `redirectTo`.',
  },
  TICKET_REFUSED: {
    status: 403,
    title: 'This waiting ticket is not yours or not ours',
    help: 'The ticket was edited, or is of another user or another event. Enter again without it: your place is found by your user.',
  },
  NO_PLACE: {
    status: 409,
    title: 'You have no place in this queue',
    help: 'Enter the queue first; a stream then tells about the place. The place of the ticket may have been used or given up.',
  },
  ROOM_ERAS_USED_UP: {
    status: 409,
    title: 'This waiting room cannot be switched on any more',
    help: 'Each switch takes a number of its own in the order of places, and those of this event are nearly used up. Switching off always works.',
  },
  STREAMS_FULL: {
    status: 503,
    title: 'No more streams here',
    help: 'This process holds as many open streams as it may. Poll the status instead: nothing is lost by it.',
    retryAfterSeconds: 10,
  },
});
