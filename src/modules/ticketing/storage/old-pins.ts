import type { Queryable } from '#platform/postgres/database.ts';

export interface OldPin {
  readonly reservationId: string;
  readonly attemptId: string;
}

/** Pins that are old, and deposits whose time has been over for as long: nobody has told what became of them. */
export async function oldPins(
  on: Queryable,
  { oldAfterMs, limit }: { oldAfterMs: number; limit: number },
): Promise<{ count: number; oldest: OldPin[] }> {
  const { rows } = await on.query<OldPin & { readonly count: number }>(
    `SELECT reservation_id AS "reservationId", attempt_id AS "attemptId", count(*) OVER () AS count FROM (
       SELECT reservation_id, attempt_id, pinned_at AS since FROM ticketing.attempts WHERE state = 'pinned'
       UNION ALL
       SELECT id, attempt_id, expires_at FROM ticketing.reservations WHERE status = 'waiting_for_deposit') AS kept
     WHERE since < (SELECT urr.now()) - $1 * interval '1 millisecond' ORDER BY since LIMIT $2`,
    [oldAfterMs, limit],
  );
  return {
    count: rows[0]?.count ?? 0,
    oldest: rows.map(({ reservationId, attemptId }) => ({ reservationId, attemptId })),
  };
}
