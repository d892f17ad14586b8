import { Type } from 'typebox';
import { defineInternalCalls } from '#platform/internal-call.ts';
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
  exportUser: {
    summary: 'Everything that payments keeps of a user.',
    input: exactly({ userId: Uuid }),
    output: Type.Object({ payments: Type.Array(Type.Unknown()) }),
    idempotent: true,
  },
  eraseUser: {
    summary:
      'Forgets what names or locates a user (refund accounts). What was paid stays, under an id that leads nowhere.',
    input: exactly({ userId: Uuid }),
    output: Type.Object({
      erased: Type.Boolean({ description: 'false: money is still on its way to or from the user' }),
    }),
    idempotent: true,
  },
});
