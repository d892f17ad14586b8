import type { Database } from '#platform/postgres/database.ts';
import type { SeatState } from '../domain/seat.ts';
import type { SeatFact } from '../domain/seat-board.ts';
import { createSnapshot, type Snapshot } from '../domain/snapshot.ts';
import {
  type HeldReservation,
  heldReservationOf,
  type LiveReservationRow,
  liveReservationColumns,
  liveStatuses,
} from './live-reservation-row.ts';

/** Everything that the map of an event begins with, as of one snapshot of the database. */
export interface SeatMapRows {
  /** Of the seats that stand; null: none were built. */
  readonly builtOffer: string | null;
  readonly snapshot: Snapshot;
  readonly nowMs: number;
  /** Those that something has ever happened to. */
  readonly seats: Iterable<SeatFact>;
  readonly places: ReadonlyMap<string, number>;
  readonly reservations: readonly HeldReservation[];
}

const factBytes = 4 + 2 + 8 + 4 + 8;

// One value for all seats: a hundred thousand rows of their own take the driver ten times as long, and stop everybody else.
const seatsSql = `
  SELECT string_agg(int4send(seat_no) || int2send(state) || int8send(fence) || int4send(step) ||
    int8send(coalesce(ceil(extract(epoch FROM held_until) * 1000)::bigint, -1)), ''::bytea) AS seats
  FROM ticketing.seats WHERE event_id = $1 AND (state <> 0 OR fence <> 0 OR step <> 0)`;

const placesSql = `
  SELECT ticket_type_id, sum(places_left)::integer AS places_left
  FROM ticketing.ticket_types JOIN ticketing.shards USING (ticket_type_id) WHERE event_id = $1 GROUP BY ticket_type_id`;

const reservationsSql = `
  SELECT ${liveReservationColumns} FROM ticketing.reservations AS r WHERE r.event_id = $1 AND r.status = ANY ('${liveStatuses}')`;

/** Null: no such event. */
export async function readSeatMap(database: Database, eventId: string): Promise<SeatMapRows | null> {
  return database.transaction(
    async (tx) => {
      const { rows: events } = await tx.query<{ built_offer: string | null; snapshot: string; now_ms: number }>(
        `SELECT built_offer, pg_current_snapshot()::text AS snapshot, floor(extract(epoch FROM urr.now()) * 1000)::bigint AS now_ms
         FROM ticketing.events WHERE event_id = $1`,
        [eventId],
      );
      const [event] = events;
      if (event === undefined) return null;
      const seats = await tx.query<{ seats: Buffer | null }>(seatsSql, [eventId]);
      const places = await tx.query<{ ticket_type_id: string; places_left: number }>(placesSql, [eventId]);
      const reservations = await tx.query<LiveReservationRow>(reservationsSql, [eventId]);
      return {
        builtOffer: event.built_offer,
        snapshot: createSnapshot(event.snapshot),
        nowMs: event.now_ms,
        seats: seatFacts(seats.rows[0]?.seats ?? Buffer.alloc(0)),
        places: new Map(places.rows.map((row) => [row.ticket_type_id, row.places_left])),
        reservations: reservations.rows.map(heldReservationOf),
      };
    },
    { isolation: 'repeatable read' },
  );
}

function* seatFacts(bytes: Buffer): Generator<SeatFact> {
  for (let at = 0; at + factBytes <= bytes.length; at += factBytes) {
    const heldUntilMs = Number(bytes.readBigInt64BE(at + 18));
    yield {
      seatNo: bytes.readInt32BE(at),
      // The column has a check.
      state: bytes.readInt16BE(at + 4) as SeatState,
      fence: Number(bytes.readBigInt64BE(at + 6)),
      step: bytes.readInt32BE(at + 14),
      heldUntilMs: heldUntilMs < 0 ? null : heldUntilMs,
    };
  }
}
