import { defineErrors } from '#platform/errors.ts';

export const waitingRoomErrors = defineErrors({
  ROOM_NOT_ACTIVE: {
    status: 404,
    title: 'There is no waiting room here now',
    help: 'The room is off or was never on: go on to the event itself. A room that was switched on a moment ago may not be known everywhere yet; come back if you are sent here again.',
  },
  REQUEST_REFUSED: {
    status: 404,
    title: 'This number is not good here',
    help: 'The requestId was edited, is over, or belongs to another event or another visitor. Take a number again.',
  },
});
