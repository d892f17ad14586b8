import { Type } from 'typebox';
import { defineInternalCalls } from '#platform/internal-call.ts';
import { personalDataCalls } from '#platform/personal-data-calls.ts';
import { Count, exactly, nullable, oneOf, Time, Uuid } from '#platform/schemas.ts';

const amountKrw = Type.Integer({ minimum: 0 });

/** What payments asks, and auth for the user's own data. Each may be repeated: the answer then says what stands. */
export const ticketingInternalCalls = defineInternalCalls({
  prepareReservation: {
    summary: 'What is to be paid for a reservation; extends its hold once to five minutes from now.',
    input: exactly({ reservationId: Uuid, userId: Uuid }),
    output: Type.Object({
      verdict: oneOf(['ready', 'unknown', 'expired', 'closed', 'paying', 'attempts_used']),
      reservation: Type.Union([
        Type.Object({
          reservationId: Uuid,
          reservationNumber: Type.String(),
          eventId: Uuid,
          title: Type.String(),
          ticketCount: Count,
          amountKrw,
          expiresAt: Time,
          saleClosesAt: Time,
        }),
        Type.Null(),
      ]),
    }),
    idempotent: true,
  },
  pin: {
    summary:
      'Keeps the seats of a reservation for one payment attempt, before anything is charged. Repeatable by attemptId.',
    input: exactly({
      paymentType: oneOf(['reservation', 'transfer']),
      referenceId: Uuid,
      attemptId: Uuid,
      userId: Uuid,
      amountKrw,
    }),
    output: Type.Object({
      verdict: oneOf([
        'pinned',
        'unknown',
        'expired',
        'closed',
        'amount',
        'pinned_by_another',
        'attempt_ended',
        'attempts_used',
      ]),
    }),
    idempotent: true,
  },
  unpin: {
    summary: 'The attempt was declined: the reservation may be paid for again, for two more minutes at the least.',
    input: exactly({ attemptId: Uuid }),
    output: Type.Object({ unpinned: Type.Boolean({ description: 'false: it was not pinned by this attempt' }) }),
    idempotent: true,
  },
  reservationState: {
    summary: 'How a reservation stands, for an answer to its buyer.',
    input: exactly({ reservationId: Uuid }),
    output: Type.Object({
      reservation: Type.Union([
        Type.Object({
          userId: Uuid,
          reservationNumber: Type.String(),
          eventId: Uuid,
          status: Type.String(),
          paymentStatus: Type.String(),
          attemptId: nullable(Uuid),
          attemptsLeft: Count,
          expiresAt: Time,
          totalKrw: amountKrw,
        }),
        Type.Null(),
      ]),
    }),
    idempotent: true,
  },
  cancelTickets: {
    summary: 'Voids tickets of a reservation before their money goes back. Repeatable by cancellationId.',
    input: exactly({
      reservationId: Uuid,
      cancellationId: Uuid,
      userId: Type.Union([Uuid, Type.Null()], { description: 'whose it must be; null: staff' }),
      ticketIds: Type.Union([Type.Array(Uuid), Type.Null()], { description: 'null: all of them' }),
      reason: oneOf(['buyer', 'staff']),
      terms: oneOf(['policy', 'full'], { description: 'how much goes back' }),
    }),
    output: Type.Object({
      verdict: oneOf(['cancelled', 'unknown', 'closed', 'not_cancellable']),
      ticketIds: Type.Array(Uuid),
    }),
    idempotent: true,
  },
  ...personalDataCalls,
});
