import { defineErrors } from '#platform/errors.ts';
import { entryErrors } from '#platform/http/entry.ts';

export const gatewayErrors = defineErrors({
  ...entryErrors.table,
  WAITING_ROOM_REQUIRED: {
    status: 403,
    title: 'The waiting room is open for this event',
    help: 'So many people came that entry is by number. Follow `redirectTo` and come back with the token it gives.',
  },
});
