import type { Queryable } from '#platform/postgres/database.ts';

/** A ticket is let in, as the doors leave it. */
export async function useTicket(on: Queryable, ticketId: string): Promise<void> {
  await on.query(
    `WITH used AS (
       UPDATE ticketing.tickets SET state = 'checked_in', checked_in_at = urr.now() WHERE id = $1 RETURNING event_id, version
     )
     INSERT INTO ticketing.ledger (at, event_id, act, ticket_ids, ticket_versions, ticket_state)
     SELECT urr.now(), event_id, 'checked_in', ARRAY[$1::uuid], ARRAY[version], 'checked_in' FROM used`,
    [ticketId],
  );
}
