import type { Queryable } from '#platform/postgres/database.ts';

export interface OldPin {
  readonly reservationId: string;
  readonly attemptId: string;
  /** As the database writes it, to the microsecond. */
  readonly since: string;
}

const kept = `(
  SELECT reservation_id, attempt_id, pinned_at AS since FROM ticketing.attempts WHERE state = 'pinned'
  UNION ALL
  SELECT id, attempt_id, expires_at FROM ticketing.reservations WHERE status = 'waiting_for_deposit') AS kept
WHERE since < (SELECT urr.now()) - $1 * interval '1 millisecond'`;

/** Pins that are old, and deposits whose time has been over for as long: nobody has told what became of them. A page of them, the oldest first, and how many there are. */
export async function oldPins(
  on: Queryable,
  { oldAfterMs, limit, after }: { oldAfterMs: number; limit: number; after: OldPin | null },
): Promise<{ count: number; page: OldPin[] }> {
  const all = await on.query<{ readonly count: number }>(`SELECT count(*) AS count FROM ${kept}`, [oldAfterMs]);
  const { rows: page } = await on.query<OldPin>(
    `SELECT reservation_id AS "reservationId", attempt_id AS "attemptId", since::text AS since FROM ${kept}
       AND ($3::timestamptz IS NULL OR (since, attempt_id) > ($3, $4::uuid))
     ORDER BY kept.since, attempt_id LIMIT $2`,
    [oldAfterMs, limit, after?.since ?? null, after?.attemptId ?? null],
  );
  return { count: all.rows[0]?.count ?? 0, page };
}
