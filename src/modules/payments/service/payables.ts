import { assertNever } from '#platform/assert.ts';
import type { PaymentType } from '../domain/payment.ts';
import type { PaymentsDeps } from '../ports.ts';
import type { PaidReservation } from '../schemas.ts';

type Ticketing = PaymentsDeps['ticketing'];
export type PinVerdict = Awaited<ReturnType<Ticketing['pin']>>['verdict'];

export type PrepareVerdict =
  | {
      readonly status: 'ready';
      readonly eventId: string;
      readonly name: string;
      readonly amountKrw: number;
      readonly expiresAtMs: number;
      readonly closesAtMs: number;
    }
  | { readonly status: 'unknown' | 'expired' | 'closed' | 'paying' };

interface Payable {
  readonly paymentType: PaymentType;
  readonly referenceId: string;
}

/** What can be paid for, whichever module sells it. */
export interface Payables {
  prepare(call: Payable & { readonly userId: string }): Promise<PrepareVerdict>;
  pin(
    call: Payable & { readonly attemptId: string; readonly userId: string; readonly amountKrw: number },
  ): Promise<PinVerdict>;
  unpin(attemptId: string): Promise<void>;
  /** As its buyer sees it; null for what is not a reservation. */
  shown(call: Payable): Promise<(PaidReservation & { readonly attemptId: string | null }) | null>;
}

export function createPayables({ ticketing }: Pick<PaymentsDeps, 'ticketing'>): Payables {
  return {
    async prepare({ paymentType, referenceId, userId }) {
      // Transfers and memberships are not sold yet.
      if (paymentType !== 'reservation') return { status: 'unknown' };
      const { verdict, reservation } = await ticketing.prepareReservation({ reservationId: referenceId, userId });
      switch (verdict) {
        case 'ready':
          if (reservation === null) throw new Error('a reservation that is ready to be paid for was not described');
          return {
            status: 'ready',
            eventId: reservation.eventId,
            name: `${reservation.title} × ${reservation.ticketCount}`,
            amountKrw: reservation.amountKrw,
            expiresAtMs: Date.parse(reservation.expiresAt),
            closesAtMs: Date.parse(reservation.saleClosesAt),
          };
        case 'attempts_used':
          return { status: 'closed' };
        case 'unknown':
        case 'expired':
        case 'closed':
        case 'paying':
          return { status: verdict };
        default:
          return assertNever(verdict);
      }
    },

    async pin({ paymentType, ...call }) {
      if (paymentType === 'membership') return 'unknown';
      return (await ticketing.pin({ ...call, paymentType })).verdict;
    },

    async unpin(attemptId) {
      await ticketing.unpin({ attemptId });
    },

    async shown({ paymentType, referenceId }) {
      if (paymentType !== 'reservation') return null;
      const { reservation } = await ticketing.reservationState({ reservationId: referenceId });
      if (reservation === null) return null;
      const { userId: _, ...state } = reservation;
      return { id: referenceId, ...state };
    },
  };
}
