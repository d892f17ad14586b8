import type { Queryable } from '#platform/postgres/database.ts';
import type { RefundQuote } from '../schemas.ts';

/** The functions of migrations 0003, 0007, 0008 and 0012: each call is one transition, and one transaction of its own. */

/** A seat that came free, under the fence that it was held with. */
export interface FreedSeat {
  readonly eventId: string;
  readonly seatNo: number;
  readonly fence: number;
}

export type SeatsJson = readonly { readonly event_id: string; readonly seat_no: number; readonly fence: number }[];

export async function sweepLapsed(on: Queryable, rowsMax: number): Promise<{ ended: number; freed: FreedSeat[] }> {
  const row = await onlyRow<{ ended_count: number; freed: SeatsJson }>(
    on,
    'SELECT ended_count, to_jsonb(freed) AS freed FROM ticketing.sweep_lapsed(NULL, $1)',
    [rowsMax],
  );
  return { ended: row.ended_count, freed: freedSeats(row.freed) };
}

export type PrepareVerdict = 'ready' | 'unknown' | 'expired' | 'closed' | 'paying' | 'attempts_used';

export interface PreparedRow {
  readonly verdict: PrepareVerdict;
  readonly reservation_number: string;
  readonly event_id: string;
  readonly title: string;
  readonly ticket_count: number;
  readonly amount_krw: number;
  readonly expires_at: Date;
  readonly sale_closes_at: Date;
}

export function prepare(on: Queryable, call: { reservationId: string; userId: string }): Promise<PreparedRow> {
  return onlyRow<PreparedRow>(on, 'SELECT * FROM ticketing.prepare($1, $2)', [call.reservationId, call.userId]);
}

export type PinVerdict =
  | 'pinned'
  | 'unknown'
  | 'expired'
  | 'closed'
  | 'amount'
  | 'pinned_by_another'
  | 'attempt_ended'
  | 'attempts_used';

export async function pin(
  on: Queryable,
  call: { reservationId: string; attemptId: string; userId: string; amountKrw: number },
): Promise<PinVerdict> {
  const row = await onlyRow<{ verdict: PinVerdict }>(on, 'SELECT ticketing.pin($1, $2, $3, $4) AS verdict', [
    ...[call.reservationId, call.attemptId, call.userId, call.amountKrw],
  ]);
  return row.verdict;
}

export async function unpin(on: Queryable, attemptId: string): Promise<{ wasPinned: boolean; freed: FreedSeat[] }> {
  const row = await onlyRow<{ was_pinned: boolean; freed: SeatsJson }>(
    on,
    'SELECT was_pinned, to_jsonb(freed) AS freed FROM ticketing.unpin($1)',
    [attemptId],
  );
  return { wasPinned: row.was_pinned, freed: freedSeats(row.freed) };
}

export type ConfirmFreeVerdict = 'confirmed' | 'unknown' | 'expired' | 'closed' | 'payment_needed' | 'over';

export async function confirmFree(
  on: Queryable,
  call: { reservationId: string; userId: string },
): Promise<ConfirmFreeVerdict> {
  const row = await onlyRow<{ verdict: ConfirmFreeVerdict }>(on, 'SELECT ticketing.confirm_free($1, $2) AS verdict', [
    ...[call.reservationId, call.userId],
  ]);
  return row.verdict;
}

/** Outcomes of payments for reservations: `{ type, ...data }` of payment-events, in their order. */
export async function applyPayments(
  on: Queryable,
  outcomes: readonly object[],
  seed: number,
): Promise<{ freed: FreedSeat[]; keptCount: number }> {
  const row = await onlyRow<{ freed: SeatsJson; kept_count: number }>(
    on,
    'SELECT to_jsonb(freed) AS freed, kept_count FROM ticketing.apply_payments($1, $2)',
    [JSON.stringify(outcomes), seed],
  );
  return { freed: freedSeats(row.freed), keptCount: row.kept_count };
}

export type CancelVerdict =
  | 'cancelled'
  | 'released'
  | 'refund_requested'
  | 'unknown'
  | 'expired'
  | 'closed'
  | 'not_cancellable'
  | 'refund_changed';

export interface Cancelled {
  readonly verdict: CancelVerdict;
  readonly ticketIds: readonly string[];
  readonly refusals: readonly { readonly ticketId: string; readonly reason: string }[];
  readonly freed: readonly FreedSeat[];
  /** As it is now; only where a sum was insisted on. */
  readonly quote: RefundQuote | null;
}

export interface CancelCall {
  readonly reservationId: string;
  readonly cancellationId: string;
  /** Whose it must be; null: staff. */
  readonly userId: string | null;
  /** Null: all that it still has. */
  readonly ticketIds: readonly string[] | null;
  readonly reason: 'buyer' | 'staff';
  /** Everything goes back, whatever the terms. Null: for staff. */
  readonly inFull?: boolean | null;
  /** What has to go back at the least, or nothing is done. */
  readonly atLeastKrw?: number | null;
  readonly seed: number;
}

export async function cancel(on: Queryable, call: CancelCall): Promise<Cancelled> {
  const row = await onlyRow<{
    verdict: CancelVerdict;
    ticket_ids: string[];
    refusals: Cancelled['refusals'];
    freed: SeatsJson;
    quote: RefundQuote | null;
  }>(
    on,
    'SELECT verdict, ticket_ids, refusals, to_jsonb(freed) AS freed, quote FROM ticketing.cancel($1, $2, $3, $4, $5, $6, $7, $8)',
    [
      ...[call.reservationId, call.cancellationId, call.userId, call.ticketIds, call.reason, call.seed],
      ...[call.inFull ?? null, call.atLeastKrw ?? null],
    ],
  );
  const { verdict, ticket_ids: ticketIds, refusals, quote } = row;
  return { verdict, ticketIds, refusals, freed: freedSeats(row.freed), quote };
}

export async function returnDelayed(
  on: Queryable,
  rowsMax: number,
): Promise<{ dealtWith: number; freed: FreedSeat[] }> {
  const row = await onlyRow<{ dealt_with: number; freed: SeatsJson }>(
    on,
    'SELECT dealt_with, to_jsonb(freed) AS freed FROM ticketing.return_delayed($1)',
    [rowsMax],
  );
  return { dealtWith: row.dealt_with, freed: freedSeats(row.freed) };
}

export async function onlyRow<Row>(on: Queryable, text: string, values: readonly unknown[]): Promise<Row> {
  const { rows } = await on.query<Row>(text, values);
  const [row] = rows;
  if (row === undefined) throw new Error('a function of the database has answered nothing');
  return row;
}

export function freedSeats(seats: SeatsJson): FreedSeat[] {
  return seats.map(({ event_id: eventId, seat_no: seatNo, fence }) => ({ eventId, seatNo, fence }));
}
