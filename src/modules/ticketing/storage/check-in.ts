import type { Queryable } from '#platform/postgres/database.ts';
import type { CheckInVerdict } from '../domain/ticket.ts';

/** A scan as it is handed to the database: of a ticket whose code was read, or refused for what the code itself says. */
export type Scan = { readonly scanId: string; readonly gate: string | null; readonly scannedAtMs: number | null } & (
  | { readonly ticketId: string; readonly version: number; readonly refused: null }
  | { readonly ticketId: null; readonly version: null; readonly refused: 'invalid' | 'other_event' }
);

export interface ScanResult {
  readonly scanId: string;
  readonly verdict: CheckInVerdict;
  readonly ticketId: string | null;
  readonly conflict: boolean;
  readonly checkedInAtMs: number | null;
  readonly gate: string | null;
  readonly reservationNumber: string | null;
  readonly seatId: string | null;
  readonly areaId: string | null;
}

interface Row {
  readonly scan_id: string;
  readonly verdict: CheckInVerdict;
  readonly ticket_id: string | null;
  readonly conflict: boolean;
  readonly checked_in_at: Date | null;
  readonly gate: string | null;
  readonly reservation_number: string | null;
  readonly seat_id: string | null;
  readonly area_id: string | null;
}

/** One call of `ticketing.check_in`: each scan once, however often it is sent. The ids of `scans` are different ones. */
export async function checkInScans(
  on: Queryable,
  call: { eventId: string; by: string; isOffline: boolean; scans: readonly Scan[] },
): Promise<ReadonlyMap<string, ScanResult>> {
  const { eventId, by, isOffline, scans } = call;
  const { rows } = await on.query<Row>(
    `SELECT * FROM ticketing.check_in($1, $2, $3, $4::uuid[], $5::uuid[], $6::integer[], $7::text[], $8::timestamptz[], $9::text[])`,
    [
      eventId,
      by,
      isOffline,
      scans.map((scan) => scan.scanId),
      scans.map((scan) => scan.ticketId),
      scans.map((scan) => scan.version),
      scans.map((scan) => scan.gate),
      scans.map((scan) => (scan.scannedAtMs === null ? null : new Date(scan.scannedAtMs))),
      scans.map((scan) => scan.refused),
    ],
  );
  return new Map(rows.map((row) => [row.scan_id, toResult(row)]));
}

function toResult(row: Row): ScanResult {
  return {
    scanId: row.scan_id,
    verdict: row.verdict,
    ticketId: row.ticket_id,
    conflict: row.conflict,
    checkedInAtMs: row.checked_in_at?.getTime() ?? null,
    gate: row.gate,
    reservationNumber: row.reservation_number,
    seatId: row.seat_id,
    areaId: row.area_id,
  };
}

export interface RevokedTickets {
  readonly madeAtMs: number;
  readonly count: number;
  /** 18 bytes each, as the bundle has them. */
  readonly entries: Buffer;
}

/** Everything that a code may still be shown for and that is not, or no longer in that version, a good ticket. */
export async function revokedTickets(on: Queryable, eventId: string): Promise<RevokedTickets> {
  // The last two of the four bytes of an integer: a smallint ends at 32,767.
  const { rows } = await on.query<{ made_at: Date; count: number; entries: Buffer | null }>(
    `SELECT urr.now() AS made_at, count(*)::integer AS count,
            string_agg(
              uuid_send(id) || substring(int4send(CASE WHEN state = 'void' THEN 65535 ELSE version END) FROM 3),
              ''::bytea ORDER BY id) AS entries
       FROM ticketing.tickets WHERE event_id = $1 AND (state = 'void' OR version > 1)`,
    [eventId],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('an aggregate has one row');
  return { madeAtMs: row.made_at.getTime(), count: row.count, entries: row.entries ?? Buffer.alloc(0) };
}
