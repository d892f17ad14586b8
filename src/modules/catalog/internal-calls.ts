import { type Static, Type } from 'typebox';
import { defineInternalCalls } from '#platform/internal-call.ts';
import { personalDataCalls } from '#platform/personal-data-calls.ts';
import { exactly, nullable, Time, Uuid } from '#platform/schemas.ts';
import { CompactLayout, Status } from './schemas.ts';
import { EventSnapshot } from './topics.ts';

/** A snapshot, and what the status is made of at this moment. */
export const LiveEventFacts = Type.Object({
  ...EventSnapshot.properties,
  status: Status,
  soldOut: Type.Boolean(),
  cancelledAt: nullable(Time),
});
export type LiveEventFacts = Static<typeof LiveEventFacts>;

/** Enough for any real catalogue; a caller that sees `truncated` must fall back to asking per event. */
export const eventsOnSaleMax = 10_000;

export const catalogInternalCalls = defineInternalCalls({
  eventFacts: {
    summary: 'The facts of one public event, or null when there is none.',
    input: exactly({ eventId: Uuid }),
    output: Type.Object({ event: Type.Union([LiveEventFacts, Type.Null()]) }),
    idempotent: true,
  },
  eventsOnSale: {
    summary: 'The facts of every event that is announced or in its sale window, the earliest opening first.',
    input: exactly({}),
    output: Type.Object({ events: Type.Array(LiveEventFacts), truncated: Type.Boolean() }),
    idempotent: true,
  },
  layoutById: {
    summary: 'The whole drawing of a layout, from which the seats of an event are made.',
    input: exactly({ layoutId: Uuid }),
    output: Type.Object({ layout: Type.Union([CompactLayout, Type.Null()]) }),
    idempotent: true,
  },
  markSoldOut: {
    summary: 'Says whether anything is left to buy. Repeating it is harmless; `found` is false for an unknown event.',
    input: exactly({ eventId: Uuid, soldOut: Type.Boolean() }),
    output: Type.Object({ found: Type.Boolean() }),
    idempotent: true,
  },
  ...personalDataCalls,
});
