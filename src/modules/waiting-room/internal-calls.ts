import { Type } from 'typebox';
import { defineInternalCalls } from '#platform/internal-call.ts';
import { Count, exactly, oneOf } from '#platform/schemas.ts';

export const waitingRoomInternalCalls = defineInternalCalls({
  activeRooms: {
    summary: 'The rooms that are on, for those who let nobody pass them. What was heard last stays good.',
    input: exactly({}),
    output: Type.Object({
      asOfMs: Type.Number(),
      rooms: Type.Array(
        Type.Object({
          eventId: Type.String({ description: 'of an event, or `*` for the whole site' }),
          mode: oneOf(['site', 'gate']),
          era: Count,
          failMode: oneOf(['open', 'closed']),
        }),
      ),
    }),
    idempotent: true,
  },
});
