import { Type } from 'typebox';
import { defineInternalCalls } from '#platform/internal-call.ts';
import { personalDataCalls } from '#platform/personal-data-calls.ts';
import { exactly, Uuid } from '#platform/schemas.ts';

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
  ...personalDataCalls,
});
