import { expect } from 'vitest';
import type { Queryable } from '#platform/postgres/database.ts';

/** Every counter that ticketing keeps, beside what its rows come to. */
export async function expectCountersToMatch(database: Queryable, eventId: string): Promise<void> {
  const wrongBuyers = await database.query(
    `SELECT user_id, live, counted FROM ticketing.buyers
       FULL JOIN (SELECT user_id, sum(live)::integer AS counted FROM (
         SELECT user_id, ticket_count AS live FROM ticketing.reservations
          WHERE event_id = $1 AND status IN ('pending', 'paying', 'waiting_for_deposit')
         UNION ALL SELECT owner_id, 1 FROM ticketing.tickets WHERE event_id = $1 AND state <> 'void') rows
         GROUP BY user_id) counts USING (user_id)
      WHERE coalesce(event_id, $1) = $1 AND coalesce(live, 0) <> coalesce(counted, 0)`,
    [eventId],
  );
  expect(wrongBuyers.rows).toEqual([]);
  const wrongSeats = await database.query(
    `SELECT seat_no, seats.state, seats.reservation_id, tickets.id FROM ticketing.seats
       FULL JOIN (SELECT * FROM ticketing.tickets WHERE event_id = $1 AND seat_no IS NOT NULL AND state <> 'void') tickets
         USING (event_id, seat_no)
      WHERE event_id = $1 AND ((seats.state = 3) <> (tickets.id IS NOT NULL)
         OR seats.state = 3 AND seats.reservation_id IS DISTINCT FROM tickets.reservation_id)`,
    [eventId],
  );
  expect(wrongSeats.rows).toEqual([]);
  const wrongPlaces = await database.query(
    `SELECT ticket_type_id, capacity, places_left, taken FROM ticketing.ticket_types
       JOIN (SELECT ticket_type_id, sum(places_left) AS places_left FROM ticketing.shards GROUP BY 1) shards USING (ticket_type_id)
       CROSS JOIN LATERAL (SELECT
         (SELECT count(*) FROM ticketing.tickets t WHERE t.ticket_type_id = ticket_types.ticket_type_id AND t.state <> 'void')
         + (SELECT coalesce(sum((item ->> 'quantity')::integer), 0) FROM ticketing.reservations r,
              jsonb_array_elements(r.lines -> 'items') item
             WHERE r.event_id = $1 AND r.status IN ('pending', 'paying', 'waiting_for_deposit')
               AND (item ->> 'ticketTypeId')::uuid = ticket_types.ticket_type_id) AS taken) rows
      WHERE event_id = $1 AND capacity <> places_left + taken`,
    [eventId],
  );
  expect(wrongPlaces.rows).toEqual([]);
}

/** The seats of an event are made from its layout, which takes a moment after it is published. */
export async function hasSeats(database: Queryable, eventId: string): Promise<boolean> {
  const built = 'SELECT FROM ticketing.events WHERE event_id = $1 AND built_offer = offer';
  return (await database.query(built, [eventId])).rowCount === 1;
}
