import { Type } from 'typebox';
import { defineInternalCalls } from '#platform/internal-call.ts';
import { personalDataCalls } from '#platform/personal-data-calls.ts';
import { Count, exactly, Uuid } from '#platform/schemas.ts';

const Demand = Type.Object({
  eventId: Uuid,
  waiting: Count,
  freeSlots: Count,
  threshold: Count,
  slotSeconds: Type.Number({ description: 'how long a slot lasts at most' }),
  measuredRate: Type.Number({ description: 'admissions per second, over the last minute' }),
  soldOut: Type.Boolean({ description: 'nothing is free, held or being paid' }),
  entered: Type.Integer({ minimum: 0, description: 'places given by a number of tier 1, since the epoch began' }),
  epoch: Type.Integer({ minimum: 0, description: 'raised when the store is begun anew, and then `entered` is, too' }),
});

export const queueInternalCalls = defineInternalCalls({
  endSlot: {
    summary:
      'Ends a slot early, only if it still has this id: what it was for is done, e.g. its reservation is confirmed. Repeating it is harmless.',
    input: exactly({
      eventId: Uuid,
      userId: Uuid,
      slotId: Type.String({ minLength: 1, maxLength: 200, description: '`jti` of the entry token' }),
    }),
    output: Type.Object({ ended: Type.Boolean({ description: 'false: it had ended, or never was' }) }),
    idempotent: true,
  },
  switchRoom: {
    summary:
      'The waiting room of tier 1 is on, or off, for an event. On takes an era for its numbers alone, off puts the own numbers of the queue behind them. Repeating it is harmless. It is switched also while the store is away, which follows then.',
    input: exactly({
      eventId: Uuid,
      on: Type.Boolean(),
      laterThan: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 511,
          description: 'numbers begin anew: an era later than this one is wanted',
        }),
      ),
    }),
    output: Type.Object({ era: Type.Integer({ minimum: 0, description: 'of tier 1 when on, else of the queue' }) }),
    idempotent: true,
  },
  demand: {
    summary: 'How busy the queues of these events are. An event of which nothing can be said now is left out.',
    input: exactly({ eventIds: Type.Array(Uuid, { maxItems: 50 }) }),
    output: Type.Object({ events: Type.Array(Demand) }),
    idempotent: true,
  },
  ...personalDataCalls,
});
