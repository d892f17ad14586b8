import { Type } from 'typebox';
import { defineInternalCalls } from '#platform/internal-call.ts';
import { personalDataCalls } from '#platform/personal-data-calls.ts';
import { exactly, oneOf, Uuid } from '#platform/schemas.ts';
import { paymentStatuses } from './domain/payment.ts';

/** What other modules ask payments. */
export const paymentsInternalCalls = defineInternalCalls({
  attemptStates: {
    summary:
      'How payment attempts stand, for pins that are old: what has come of them is told on payment-events once more. Unknown attempts are left out.',
    input: exactly({ attemptIds: Type.Array(Uuid, { maxItems: 100 }) }),
    output: Type.Object({
      attempts: Type.Array(Type.Object({ attemptId: Uuid, status: oneOf(paymentStatuses) })),
    }),
    idempotent: true,
  },
  ...personalDataCalls,
});
