import type { Queryable } from '#platform/postgres/database.ts';

/** Null: there is no such ticket type. */
export async function eventOfTicketType(on: Queryable, ticketTypeId: string): Promise<string | null> {
  const { rows } = await on.query<{ event_id: string }>(
    'SELECT event_id FROM ticketing.ticket_types WHERE ticket_type_id = $1',
    [ticketTypeId],
  );
  return rows[0]?.event_id ?? null;
}
