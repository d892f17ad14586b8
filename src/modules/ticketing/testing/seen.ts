import { Value } from 'typebox/value';
import type { Queryable } from '#platform/postgres/database.ts';
import type { ReservationRow } from '../storage/reservation-row.ts';
import { reservationEvents } from '../topics.ts';

/** How things stand in the tables, for tests that compare. */

export async function reservationRow(on: Queryable, id: string): Promise<ReservationRow> {
  const { rows } = await on.query<ReservationRow>('SELECT * FROM ticketing.reservations WHERE id = $1', [id]);
  const [row] = rows;
  if (row === undefined) throw new Error(`there is no reservation ${id}`);
  return row;
}

export interface SeenTicket {
  readonly id: string;
  readonly state: string;
  readonly seat_no: number | null;
}

export async function ticketsOf(on: Queryable, reservationId: string): Promise<SeenTicket[]> {
  const { rows } = await on.query<SeenTicket>(
    'SELECT id, state, seat_no FROM ticketing.tickets WHERE reservation_id = $1 ORDER BY seat_no NULLS LAST, id',
    [reservationId],
  );
  return rows;
}

export async function seatStates(on: Queryable, eventId: string): Promise<number[]> {
  const { rows } = await on.query<{ state: number }>(
    'SELECT state FROM ticketing.seats WHERE event_id = $1 ORDER BY seat_no',
    [eventId],
  );
  return rows.map((row) => row.state);
}

export interface ToldEvent {
  readonly type: string;
  readonly data: Record<string, unknown>;
}

/** What was told of a reservation, oldest first. Each must pass the schema of its topic. */
export async function told(on: Queryable, reservationId: string): Promise<ToldEvent[]> {
  const { rows } = await on.query<{ envelope: ToldEvent }>(
    `SELECT envelope FROM urr.outbox WHERE topic = $1 AND key = $2 ORDER BY id`,
    [reservationEvents.name, reservationId],
  );
  return rows.map(({ envelope }) => {
    const definition = Object.entries(reservationEvents.types).find(([type]) => type === envelope.type)?.[1];
    if (definition === undefined) throw new Error(`there is no ${envelope.type}`);
    const [problem] = Value.Errors(definition.data, envelope.data);
    if (problem !== undefined) throw new Error(`${envelope.type}: ${problem.instancePath} ${problem.message}`);
    return envelope;
  });
}
