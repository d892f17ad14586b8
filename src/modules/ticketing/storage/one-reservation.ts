import type { Queryable } from '#platform/postgres/database.ts';
import type { ReservationRow } from './reservation-row.ts';

/** A reservation with the database's time, by which its status is to be read. Null: there is none. */
export async function findReservation(
  on: Queryable,
  reservationId: string,
): Promise<{ row: ReservationRow; nowMs: number } | null> {
  const { rows } = await on.query<ReservationRow & { readonly now: Date }>(
    'SELECT *, urr.now() AS now FROM ticketing.reservations WHERE id = $1',
    [reservationId],
  );
  const [row] = rows;
  return row === undefined ? null : { row, nowMs: row.now.getTime() };
}
