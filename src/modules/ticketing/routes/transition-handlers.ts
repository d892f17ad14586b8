import { assertNever } from '#platform/assert.ts';
import { platformErrors } from '#platform/errors.ts';
import type { RouteHandlers } from '#platform/http/contract.ts';
import { ticketingErrors } from '../errors.ts';
import type { Reservations } from '../service/reservations.ts';
import type { reservationContracts } from './reservation-contracts.ts';

type TransitionHandlers = Pick<RouteHandlers<typeof reservationContracts>, 'confirmReservation' | 'cancelReservation'>;

/** What is not the caller's own does not exist for them. */
export function createTransitionHandlers(reservations: Reservations): TransitionHandlers {
  return {
    async confirmReservation({ user, params }) {
      const verdict = await reservations.confirm({ reservationId: params.reservationId, userId: user.userId });
      switch (verdict.status) {
        case 'confirmed':
          return verdict.reservation;
        case 'unknown':
          throw platformErrors.fault('NOT_FOUND');
        case 'expired':
          throw ticketingErrors.fault('RESERVATION_EXPIRED');
        case 'closed':
          throw ticketingErrors.fault('RESERVATION_CLOSED', { extensions: { reservationStatus: verdict.now } });
        case 'payment-needed':
          throw ticketingErrors.fault('PAYMENT_NEEDED');
        case 'over':
          throw ticketingErrors.fault('SALE_OVER');
        default:
          return assertNever(verdict);
      }
    },

    async cancelReservation({ user, params, body }) {
      const call = { reservationId: params.reservationId, userId: user.userId, ticketIds: body.ticketIds ?? null };
      const verdict = await reservations.cancel(call);
      switch (verdict.status) {
        case 'done':
          return verdict.reservation;
        case 'unknown':
          throw platformErrors.fault('NOT_FOUND');
        case 'expired':
          throw ticketingErrors.fault('RESERVATION_EXPIRED');
        case 'closed':
          throw ticketingErrors.fault('RESERVATION_CLOSED', { extensions: { reservationStatus: verdict.now } });
        case 'not-cancellable':
          throw ticketingErrors.fault('NOT_CANCELLABLE', { extensions: { tickets: verdict.tickets } });
        default:
          return assertNever(verdict);
      }
    },
  };
}
