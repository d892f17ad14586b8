import { defineErrors } from '#platform/errors.ts';
import { entryErrors } from '#platform/http/entry.ts';
import { tier1Errors } from '#platform/http/tier1.ts';

export const gatewayErrors = defineErrors({
  ...entryErrors.table,
  ...tier1Errors.table,
  WAITING_ROOM_UNAVAILABLE: {
    status: 503,
    title: 'Whether there is a waiting room cannot be found out right now',
    help: 'Nobody is let past a waiting room unseen. Try again in a few seconds.',
    retryAfterSeconds: 2,
  },
});
