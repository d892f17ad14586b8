import { type Static, Type } from 'typebox';
import { Count, exactly, nullable, oneOf, Time, Uuid } from '#platform/schemas.ts';
import { thresholdSources } from '../domain/threshold-source.ts';

/** Nothing a client says can improve a place, so a client that says something is told that it is mistaken. */
export const Nothing = exactly({});
export const eventParams = exactly({ eventId: Uuid });

const statuses = ['waiting', 'active', 'pending', 'closed', 'none'] as const;
export type QueueStatus = (typeof statuses)[number];

/** The answer of check, enter and status. */
export const QueueAnswer = Type.Object({
  status: oneOf(statuses),
  queued: Type.Boolean({ description: 'true while waiting' }),
  position: nullable(Type.Integer({ description: '1 is next' })),
  peopleAhead: nullable(Count),
  peopleBehind: nullable(Count),
  estimatedWait: nullable(
    Type.Number({ description: 'seconds; half of those in this position wait less. null: unknown' }),
  ),
  estimatedWaitHigh: nullable(Type.Number({ description: 'seconds; nine in ten wait less. null: unknown' })),
  nextPoll: Type.Number({ description: 'seconds until it is worth asking again' }),
  currentUsers: Type.Integer({ description: 'in a slot now' }),
  threshold: Type.Integer({ description: 'slots of the event' }),
  queueSize: Type.Integer({ description: 'people who wait' }),
  ticket: nullable(Type.String({ description: 'the waiting ticket: it keeps the place whatever happens' })),
  entryToken: Type.Optional(Type.String({ description: 'while active' })),
  slotEndsAt: Type.Optional(Time),
  paused: Type.Boolean(),
  message: nullable(Type.String({ description: 'from the operator' })),
  opensAt: nullable(Time),
  stale: Type.Boolean({
    description:
      'the store is away and this is what was known last, or it was lost and the crowd is still coming back: no number counts yet',
  }),
  event: Type.Object({ title: Type.String(), artist: Type.String(), date: Time }),
});
export type QueueAnswer = Static<typeof QueueAnswer>;

export const SettingsShown = Type.Object({
  threshold: Type.Integer(),
  paused: Type.Boolean(),
  closed: Type.Boolean({ description: 'no new entrants' }),
  message: nullable(Type.String()),
});

export const QueueOverview = Type.Object({
  ...SettingsShown.properties,
  thresholdFrom: nullable(
    oneOf(thresholdSources, {
      description:
        'whose word the threshold is: an operator set it, the event says so, or the configuration. null: unknown while PostgreSQL is away',
    }),
  ),
  eventId: Uuid,
  title: Type.String(),
  waiting: Count,
  parked: Count,
  active: Count,
  ratePerMinute: Type.Number({ description: 'admissions in the last 60 s' }),
  estimatedWait: nullable(Type.Number({ description: 'seconds, of the last in line' })),
  estimatedWaitHigh: nullable(Type.Number()),
  recovering: Type.Boolean({ description: 'the store was lost: people are placed, nobody is admitted' }),
  stale: Type.Boolean(),
  superseded: Type.Boolean({
    description:
      'the process that answers is connected to a server that no longer keeps this queue, or to a read replica: it answers buyers 503, and this is of the past',
  }),
  epoch: Count,
  era: Count,
  totals: Type.Object({ joined: Count, admitted: Count, left: Count, noShows: Count, forgotten: Count }),
  admittedPerSecond: Type.Array(Count, { description: 'the last 60 seconds, oldest first' }),
  history: Type.Array(Type.Object({ at: Time, waiting: Count, parked: Count, active: Count, threshold: Count }), {
    description: 'as this process saw it, about once a second, oldest first',
  }),
});

export const UserOverview = Type.Object({
  userId: Uuid,
  place: oneOf(['waiting', 'parked', 'active', 'none']),
  why: Type.String({ description: 'in words' }),
  position: nullable(Type.Integer()),
  order: nullable(Type.Integer()),
  seenAt: nullable(Time),
  slotEndsAt: nullable(Time),
  claimed: nullable(Type.Boolean()),
  returned: Type.Boolean({ description: 'was admitted once, did not come, and was put back' }),
});
