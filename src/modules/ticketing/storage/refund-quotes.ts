import type { Queryable } from '#platform/postgres/database.ts';
import type { ReservationStatus } from '../domain/reservation.ts';
import type { RefundQuote } from '../schemas.ts';
import { type Cancelled, onlyRow } from './transitions.ts';

export type QuoteVerdict =
  | { readonly status: 'quoted'; readonly quote: RefundQuote }
  | { readonly status: 'unknown' }
  | { readonly status: 'nothing'; readonly now: ReservationStatus }
  | { readonly status: 'not-cancellable'; readonly tickets: Cancelled['refusals'] };

interface Row {
  readonly verdict: 'quoted' | 'unknown' | 'nothing' | 'not_cancellable';
  readonly quote: RefundQuote;
  readonly refusals: Cancelled['refusals'];
  readonly status: ReservationStatus;
}

/** What would go back for tickets of a user's own reservation. `ticketIds` null: all that can still be cancelled. */
export async function quoteRefund(
  on: Queryable,
  call: { reservationId: string; userId: string; ticketIds: readonly string[] | null },
): Promise<QuoteVerdict> {
  const { verdict, quote, refusals, status } = await onlyRow<Row>(
    on,
    'SELECT verdict, quote, refusals, status FROM ticketing.refund_quote($1, $2, $3)',
    [call.reservationId, call.userId, call.ticketIds],
  );
  switch (verdict) {
    case 'quoted':
      return { status: 'quoted', quote };
    case 'unknown':
      return { status: 'unknown' };
    case 'nothing':
      return { status: 'nothing', now: status };
    case 'not_cancellable':
      return { status: 'not-cancellable', tickets: refusals };
  }
}
