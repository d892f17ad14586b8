import type { Queryable } from '#platform/postgres/database.ts';
import type { SeatState } from '../domain/seat.ts';
import type { LiveReservationRow } from './live-reservation-row.ts';
import { liveReservationColumns, liveStatuses } from './live-reservation-row.ts';

/** A row of the ledger, as far as the map needs it. */
export interface LedgerRow {
  readonly id: number;
  readonly xid: number;
  readonly event_id: string;
  readonly act: string;
  readonly reservation_id: string | null;
  readonly seat_nos: readonly number[] | null;
  readonly seat_fences: readonly number[] | null;
  readonly seat_steps: readonly number[] | null;
  readonly seat_state: SeatState | null;
  readonly held_until_ms: number | null;
  readonly ticket_type_ids: readonly string[] | null;
  readonly left_changes: readonly number[] | null;
  /** The reservation as it is by now, if it still holds something. */
  readonly reservation: LiveReservationRow | null;
}

export interface LedgerReading {
  readonly rows: readonly LedgerRow[];
  /** Every transaction below it is over. */
  readonly xmin: number;
  /** No transaction had begun from here on. */
  readonly xmax: number;
  readonly nowMs: number;
  readonly isFull: boolean;
}

/** Behind the last row that was read. */
export interface LedgerCursor {
  readonly xid: number;
  readonly id: number;
}

// Times are rounded up: nothing is shown as free before the database agrees. `xmin` is written out where it bounds the scan, or
// rows behind a long transaction would be read each time and thrown away. `status || ''` keeps the planner from the index of
// live reservations, which it takes for empty when a rush begins, and would then read as a whole for each row.
const sql = `
  SELECT s.xmin::text::bigint AS xmin, s.xmax::text::bigint AS xmax, s.now_ms,
    l.id, l.xid::text::bigint AS xid, l.event_id, l.act, l.reservation_id, l.seat_nos, l.seat_fences, l.seat_steps, l.seat_state,
    ceil(extract(epoch FROM l.held_until) * 1000)::bigint AS held_until_ms, l.ticket_type_ids, l.left_changes,
    ${liveReservationColumns}
  FROM (
    SELECT pg_snapshot_xmin(pg_current_snapshot()) AS xmin, pg_snapshot_xmax(pg_current_snapshot()) AS xmax,
      floor(extract(epoch FROM urr.now()) * 1000)::bigint AS now_ms
  ) AS s
  LEFT JOIN ticketing.ledger AS l ON (l.xid, l.id) > ($1::xid8, $2::bigint)
    AND l.xid < CASE WHEN $4 THEN '18446744073709551615'::xid8 ELSE pg_snapshot_xmin(pg_current_snapshot()) END
    AND l.event_id = ANY ($3::uuid[])
  LEFT JOIN ticketing.reservations AS r ON r.id = l.reservation_id AND r.status || '' = ANY ('${liveStatuses}')
  ORDER BY l.xid, l.id
  LIMIT $5`;

type Row = { xmin: number; xmax: number; now_ms: number } & (LedgerRow | { id: null }) & LiveReservationRow;

/**
 * What was committed to the ledger behind the cursor, by transaction id. Only up to the oldest transaction that is still under way,
 * so that none is skipped which commits late; with `early` everything that is visible, of which more may come in between later.
 */
export async function readLedger(
  on: Queryable,
  query: { cursor: LedgerCursor; eventIds: readonly string[]; early: boolean; rowsMax: number },
): Promise<LedgerReading> {
  const { cursor, eventIds, early, rowsMax } = query;
  const { rows } = await on.query<Row>(sql, [`${cursor.xid}`, cursor.id, eventIds, early, rowsMax]);
  const [first] = rows;
  if (first === undefined) throw new Error('a reading of the ledger has at least one row');
  const found = rows.flatMap((row) =>
    row.id === null ? [] : [{ ...row, reservation: row.r_id === null ? null : row } as LedgerRow],
  );
  return { rows: found, xmin: first.xmin, xmax: first.xmax, nowMs: first.now_ms, isFull: found.length >= rowsMax };
}
