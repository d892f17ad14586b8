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
      const { ticketIds = null, refundKrw = null } = body;
      const verdict = await reservations.cancel({ ...params, userId: user.userId, ticketIds, refundKrw });
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
        case 'refund-changed':
          throw ticketingErrors.fault('REFUND_CHANGED', { extensions: { quote: verdict.quote } });
        default:
          return assertNever(verdict);
      }
    },
  };
}
