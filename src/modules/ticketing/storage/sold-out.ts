import type { Queryable } from '#platform/postgres/database.ts';

export interface EventOnSale {
  readonly event_id: string;
  /** What catalog was last told, and how long ago; null: nothing yet. */
  readonly told: boolean | null;
  readonly told_ms: number | null;
  /** The newest row of its ledger. */
  readonly ledger_id: number | null;
}

/** Costs a look into an index for each event on sale. */
export async function eventsOnSale(on: Queryable, limit: number): Promise<EventOnSale[]> {
  const { rows } = await on.query<EventOnSale>(
    `SELECT event_id, sold_out AS told, (extract(epoch FROM clock.now - sold_out_told_at) * 1000)::float8 AS told_ms,
       (SELECT max(id) FROM ticketing.ledger l WHERE l.event_id = e.event_id) AS ledger_id
     FROM ticketing.events e, (SELECT urr.now() AS now) AS clock
     WHERE sells_from <= clock.now AND sale_closes_at > clock.now AND cancelled_at IS NULL AND built_offer IS NOT NULL
     ORDER BY sale_closes_at, event_id LIMIT $1`,
    [limit],
  );
  return rows;
}

/** Everything is sold or blocked. What somebody holds or pays for is left: it may come back. */
export async function isSoldOut(on: Queryable, eventId: string): Promise<boolean> {
  // The cheap questions first: in a rush somebody always holds something, and the seats are then not looked at.
  const { rows } = await on.query<{ sold_out: boolean }>(
    `SELECT CASE
       WHEN EXISTS (SELECT FROM ticketing.reservations
         WHERE event_id = $1 AND status IN ('pending', 'paying', 'waiting_for_deposit')) THEN false
       WHEN EXISTS (SELECT FROM ticketing.shards JOIN ticketing.ticket_types USING (ticket_type_id)
         WHERE event_id = $1 AND places_left > 0) THEN false
       WHEN EXISTS (SELECT FROM ticketing.seats WHERE event_id = $1 AND state NOT IN (3, 4)) THEN false
       ELSE EXISTS (SELECT FROM ticketing.seats WHERE event_id = $1) OR EXISTS (SELECT FROM ticketing.ticket_types WHERE event_id = $1)
     END AS sold_out`,
    [eventId],
  );
  return rows[0]?.sold_out === true;
}

/** Anyone who gets true tells catalog; another process that saw the same has just been told no. */
export async function claimTelling(
  on: Queryable,
  { eventId, soldOut, againAfterMs }: { eventId: string; soldOut: boolean; againAfterMs: number },
): Promise<boolean> {
  const { rowCount } = await on.query(
    `UPDATE ticketing.events SET sold_out = $2, sold_out_told_at = clock.now FROM (SELECT urr.now() AS now) AS clock
     WHERE event_id = $1 AND (sold_out IS DISTINCT FROM $2 OR sold_out_told_at IS NULL
       OR sold_out_told_at <= clock.now - $3 * interval '1 millisecond' OR sold_out_told_at > clock.now)`,
    [eventId, soldOut, againAfterMs],
  );
  return rowCount > 0;
}

/** Catalog was not reached: anyone who looks next tells it. */
export async function forgetTelling(on: Queryable, eventId: string): Promise<void> {
  await on.query('UPDATE ticketing.events SET sold_out_told_at = NULL WHERE event_id = $1', [eventId]);
}
