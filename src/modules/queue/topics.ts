import { Type } from 'typebox';
import { defineTopic } from '#platform/bus/port.ts';
import { Count, Time, Uuid } from '#platform/schemas.ts';

/** All that was verified when the entry was asked for. What is on the bus was put there by us. */
const EntryRequested = Type.Object({
  eventId: Uuid,
  userId: Uuid,
  requestedAt: Time,
  roomOn: Type.Boolean(),
  ticketOrder: Type.Optional(Type.Integer({ minimum: 1, description: 'from the waiting ticket' })),
  numbered: Type.Optional(Type.Integer({ minimum: 1, description: 'from the tier-1 token' })),
});

const entryTypes = {
  ENTRY_REQUESTED: {
    version: 1,
    summary: 'A user asked for a place. The order of consumption is the order of places.',
    data: EntryRequested,
  },
} as const;

export const queueEntry = defineTopic({
  name: 'queue-entry',
  key: 'eventId',
  retention: { hours: 24 },
  types: entryTypes,
});

/** The same for events marked hot, with a consumer of its own: a rush there delays nobody here. */
export const queueEntryHot = defineTopic({
  name: 'queue-entry-hot',
  key: 'eventId',
  retention: { hours: 24 },
  types: entryTypes,
});

export const queueEvents = defineTopic({
  name: 'queue-events',
  key: 'eventId',
  retention: { hours: 24 * 90 },
  types: {
    QUEUE_TOTALS: {
      version: 1,
      summary:
        'What happened in a queue since its epoch began, each minute while something does. The highest of an epoch counts.',
      data: Type.Object({
        eventId: Uuid,
        epoch: Count,
        at: Time,
        joined: Count,
        admitted: Count,
        left: Count,
        noShows: Count,
      }),
    },
  },
});
