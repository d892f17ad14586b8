import { assertNever } from '#platform/assert.ts';
import { platformErrors } from '#platform/errors.ts';
import type { RouteHandlers } from '#platform/http/contract.ts';
import type { Database } from '#platform/postgres/database.ts';
import { ticketingErrors } from '../errors.ts';
import { quoteRefund } from '../storage/refund-quotes.ts';
import type { reservationContracts } from './reservation-contracts.ts';

type QuoteHandler = Pick<RouteHandlers<typeof reservationContracts>, 'getRefundQuote'>;

/** What is not the caller's own does not exist for them. */
export function createRefundQuoteHandler({ database }: { database: Database }): QuoteHandler {
  return {
    async getRefundQuote({ user, params, query }) {
      const ticketIds = query.ticketIds?.split(',') ?? null;
      const verdict = await quoteRefund(database, { ...params, userId: user.userId, ticketIds });
      switch (verdict.status) {
        case 'quoted':
          return verdict.quote;
        case 'unknown':
          throw platformErrors.fault('NOT_FOUND');
        case 'nothing':
          throw ticketingErrors.fault('NOTHING_TO_REFUND', { extensions: { reservationStatus: verdict.now } });
        case 'not-cancellable':
          throw ticketingErrors.fault('NOT_CANCELLABLE', { extensions: { tickets: verdict.tickets } });
        default:
          return assertNever(verdict);
      }
    },
  };
}
