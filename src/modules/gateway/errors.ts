import { defineErrors } from '#platform/errors.ts';
import { entryErrors } from '#platform/http/entry.ts';

export const gatewayErrors = defineErrors({
  ...entryErrors.table,
  WAITING_ROOM_REQUIRED: {
    status: 403,
    title: 'The waiting room is open for this event',
    help: 'So many people came that entry is by number. Follow `redirectTo` and come back with the token it gives.',
  },
  WAITING_ROOM_UNAVAILABLE: {
    status: 503,
    title: 'Whether there is a waiting room cannot be found out right now',
    help: 'Nobody is let past a waiting room unseen. Try again in a few seconds.',
    retryAfterSeconds: 2,
  },
});
