import { defineErrors } from '#platform/errors.ts';

export const waitingRoomErrors = defineErrors({
  ROOM_NOT_ACTIVE: {
    status: 404,
    title: 'There is no waiting room here now',
    help: 'The room is off or was never on: go on to the event itself. A room that was switched on a moment ago may not be known everywhere yet; come back if you are sent here again.',
  },
  PROOF_REQUIRED: {
    status: 403,
    title: 'A proof of work comes before a number here',
    help: 'Ask for a challenge (`/vwr/challenge/{eventId}`), solve it (ALTCHA, version 2) and send it with its solution as `proof`. A browser that has a number needs none.',
  },
  PROOF_REFUSED: {
    status: 403,
    title: 'This proof of work is not good',
    help: 'It was edited, is over two minutes old, is for another event, or somebody got a number for it before. Ask for another challenge.',
  },
  BRANDING_UNREADABLE: {
    status: 409,
    title: 'These two colours cannot be read on each other',
    help: 'Text in `onAccent` on `accent` needs a contrast of 4.5 to 1 at least. Choose a darker or a lighter one.',
  },
  DRAW_NEEDS_OPENING: {
    status: 409,
    title: 'A draw needs an opening that lies ahead',
    help: 'Entries are taken until the line begins to be served (`opensAt`). Set it with the schedule, or draw for a sale that has not opened yet.',
  },
  DRAW_NEEDS_RESET: {
    status: 409,
    title: 'This room is on without a draw',
    help: 'Numbers of this era are given by arrival already. A draw begins with a new era: activate with `reset`, or switch the room off first.',
  },
  DRAW_VOID: {
    status: 503,
    title: 'The draw did not count',
    help: 'Its secret could not be revealed in time. The operator begins anew; come back in a moment to enter again.',
  },
  SIGN_IN_REQUIRED: {
    status: 401,
    title: 'This draw takes one entry per account',
    help: 'Sign in and take part again.',
  },
  REQUEST_REFUSED: {
    status: 404,
    title: 'This number is not good here',
    help: 'The requestId was edited, is over, or belongs to another event or another visitor. Take a number again.',
  },
});
