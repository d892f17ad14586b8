import type { Queryable } from '#platform/postgres/database.ts';
import type { LateChange } from '../ports.ts';

/** Statements on `queue.late_changes`: what a superseded server knew alone, on its way to the present one. */

/** Slots last some minutes: what nobody took by then says nothing any more. */
const lateKept = `interval '1 hour'`;

export async function noteLate(on: Queryable, eventId: string, changes: readonly LateChange[]): Promise<void> {
  if (changes.length === 0) return;
  await on.query(
    `INSERT INTO queue.late_changes (event_id, change)
     SELECT $1, change FROM jsonb_array_elements($2::jsonb) WITH ORDINALITY AS given (change, n) ORDER BY n`,
    [eventId, JSON.stringify(changes)],
  );
}

export async function readLate(
  on: Queryable,
  eventId: string,
  limit: number,
): Promise<{ id: number; change: LateChange }[]> {
  const { rows } = await on.query<{ id: number; change: LateChange }>(
    'SELECT id, change FROM queue.late_changes WHERE event_id = $1 ORDER BY id LIMIT $2',
    [eventId, limit],
  );
  return rows;
}

export async function forgetLate(on: Queryable, ids: readonly number[]): Promise<void> {
  await on.query('DELETE FROM queue.late_changes WHERE id = ANY($1::bigint[])', [ids]);
}

export async function pruneLate(on: Queryable): Promise<void> {
  await on.query(`DELETE FROM queue.late_changes WHERE noted_at < urr.now() - ${lateKept}`);
  await on.query(`DELETE FROM queue.servers WHERE seen_at < urr.now() - interval '1 day'`);
}
