import type { Queryable } from '#platform/postgres/database.ts';
import { type FreedSeat, freedSeats, onlyRow, type SeatsJson } from './transitions.ts';

/** Events that are cancelled and whose reservations may not all be over; from now on the passes over them count. */
export async function eventsBeingCancelled(on: Queryable, limit: number): Promise<string[]> {
  await on.query(
    `UPDATE ticketing.events SET cancel_begun_at = (SELECT urr.now())
     WHERE cancelled_at IS NOT NULL AND cancel_done_at IS NULL AND cancel_begun_at IS NULL`,
  );
  const { rows } = await on.query<{ event_id: string }>(
    `SELECT event_id FROM ticketing.events WHERE cancelled_at IS NOT NULL AND cancel_done_at IS NULL ORDER BY cancelled_at LIMIT $1`,
    [limit],
  );
  return rows.map((row) => row.event_id);
}

export async function databaseNow(on: Queryable): Promise<Date> {
  return (await onlyRow<{ now: Date }>(on, 'SELECT urr.now() AS now', [])).now;
}

export interface Bite {
  readonly found: number;
  /** Null: the pass is through. */
  readonly lastId: string | null;
  readonly freed: readonly FreedSeat[];
}

export async function cancelEventBite(
  on: Queryable,
  call: { eventId: string; afterId: string | null; rowsMax: number },
): Promise<Bite> {
  const row = await onlyRow<{ found_count: number; last_id: string | null; freed: SeatsJson }>(
    on,
    'SELECT found_count, last_id, to_jsonb(freed) AS freed FROM ticketing.cancel_event_bite($1, $2, $3)',
    [call.eventId, call.afterId, call.rowsMax],
  );
  return { found: row.found_count, lastId: row.last_id, freed: freedSeats(row.freed) };
}

/**
 * A pass that began at this time has found nothing. It counts if the mark had been there for long enough: a hold or a pin that had not seen
 * it has ended by then, one way or the other.
 */
export async function endEventCancellation(
  on: Queryable,
  call: { eventId: string; passBegan: Date; settleMs: number },
): Promise<boolean> {
  const { rowCount } = await on.query(
    `UPDATE ticketing.events SET cancel_done_at = (SELECT urr.now())
     WHERE event_id = $1 AND cancel_done_at IS NULL AND cancel_begun_at <= $2::timestamptz - $3 * interval '1 millisecond'`,
    [call.eventId, call.passBegan, call.settleMs],
  );
  return rowCount === 1;
}
