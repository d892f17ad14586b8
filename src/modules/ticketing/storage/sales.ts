import type { Queryable } from '#platform/postgres/database.ts';
import type { SalesFacts } from '../domain/sales-figures.ts';

/**
 * One statement, so that the figures are of one moment and add up. It reads the event's seats once, its counters, its live holds and its
 * live tickets, each by an index; nothing of other events.
 */
export async function salesRows(on: Queryable, eventId: string): Promise<SalesFacts & { readonly checkedIn: number }> {
  const { rows } = await on.query<{
    seats: string | null;
    ticket_types: SalesFacts['ticketTypes'] | null;
    sold_krw: Readonly<Record<string, number>> | null;
    checked_in: number;
  }>(
    `WITH moment AS MATERIALIZED (SELECT urr.now() AS at),
     holds AS (
       SELECT (item ->> 'ticketTypeId')::uuid AS ticket_type_id,
              COALESCE(sum((item ->> 'quantity')::integer) FILTER (WHERE NOT is_lapsed), 0)::integer AS held,
              COALESCE(sum((item ->> 'quantity')::integer) FILTER (WHERE is_lapsed), 0)::integer AS lapsed
         FROM moment, ticketing.reservations r,
              LATERAL (SELECT r.status = 'pending' AND r.expires_at <= moment.at AS is_lapsed) AS hold,
              LATERAL jsonb_array_elements(r.lines -> 'items') AS item
        WHERE r.event_id = $1 AND r.status IN ('pending', 'paying', 'waiting_for_deposit')
        GROUP BY 1
     )
     SELECT (SELECT string_agg(
                      CASE WHEN s.state = 3 THEN 's' WHEN s.state = 4 THEN 'b' WHEN s.state = 2 THEN 'h'
                           WHEN s.state = 1 AND s.held_until > moment.at THEN 'h' ELSE 'f' END, '' ORDER BY s.seat_no)
               FROM moment, ticketing.seats s WHERE s.event_id = $1) AS seats,
            (SELECT jsonb_agg(jsonb_build_object(
                      'ticketTypeId', t.ticket_type_id,
                      'left', COALESCE((SELECT sum(places_left) FROM ticketing.shards c WHERE c.ticket_type_id = t.ticket_type_id), 0),
                      'held', COALESCE(h.held, 0), 'lapsed', COALESCE(h.lapsed, 0)))
               FROM ticketing.ticket_types t LEFT JOIN holds h USING (ticket_type_id) WHERE t.event_id = $1) AS ticket_types,
            (SELECT jsonb_object_agg(what, krw) FROM (
               SELECT grade AS what, sum(price_krw) AS krw FROM ticketing.tickets
                WHERE event_id = $1 AND seat_no IS NOT NULL AND state <> 'void' GROUP BY grade
               UNION ALL
               SELECT ticket_type_id::text, sum(price_krw) FROM ticketing.tickets
                WHERE event_id = $1 AND ticket_type_id IS NOT NULL AND state <> 'void' GROUP BY ticket_type_id) AS sold) AS sold_krw,
            (SELECT count(*)::integer FROM ticketing.tickets WHERE event_id = $1 AND state = 'checked_in') AS checked_in`,
    [eventId],
  );
  const [row] = rows;
  return {
    seats: row?.seats ?? '',
    ticketTypes: row?.ticket_types ?? [],
    soldKrw: new Map(Object.entries(row?.sold_krw ?? {})),
    checkedIn: row?.checked_in ?? 0,
  };
}
