import type { Database, Queryable } from '#platform/postgres/database.ts';

export interface UnbuiltEvent {
  readonly event_id: string;
  readonly waited_ms: number;
}

/** Events on sale or to be sold whose seats are not those of their offer, the next to be sold first. */
export async function unbuiltEvents(on: Queryable, limit: number): Promise<UnbuiltEvent[]> {
  const { rows } = await on.query<UnbuiltEvent>(
    `SELECT event_id, greatest(0, extract(epoch FROM clock.now - offer_at) * 1000)::float8 AS waited_ms
     FROM ticketing.events, (SELECT urr.now() AS now) AS clock
     WHERE built_offer IS DISTINCT FROM offer AND cancelled_at IS NULL AND sale_closes_at > clock.now
     ORDER BY sells_from, event_id LIMIT $1`,
    [limit],
  );
  return rows;
}

/** What `ticketing.build_seats` says; see there. */
export type BuildVerdict = 'built' | 'repriced' | 'unchanged' | 'stale' | 'busy' | 'blocks' | 'reserved';

export interface BuildCall {
  readonly eventId: string;
  readonly offer: string;
  readonly layoutId: string;
  /** JSON of a PlanDocument. */
  readonly plan: string;
  readonly seatCount: number;
  readonly wereBlocked: readonly number[];
  readonly blockAgain: readonly number[];
}

export async function buildSeats(database: Database, call: BuildCall): Promise<BuildVerdict> {
  const { rows } = await database.query<{ verdict: BuildVerdict }>(
    'SELECT ticketing.build_seats($1, $2, $3, $4::jsonb, $5, $6::integer[], $7::integer[]) AS verdict',
    [call.eventId, call.offer, call.layoutId, call.plan, call.seatCount, call.wereBlocked, call.blockAgain],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('build_seats answered nothing');
  return row.verdict;
}

export async function blockedSeats(on: Queryable, eventId: string): Promise<number[]> {
  const { rows } = await on.query<{ seat_no: number }>(
    'SELECT seat_no FROM ticketing.seats WHERE event_id = $1 AND state = 4 ORDER BY seat_no',
    [eventId],
  );
  return rows.map(({ seat_no }) => seat_no);
}
