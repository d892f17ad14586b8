import { randomBytes, randomUUID } from 'node:crypto';
import type { Database, Transaction } from '#platform/postgres/database.ts';
import type { Sale } from './a-sale.ts';

/** A hold as `hold_batch` grants it, without its checks: for tests of what comes after it. */
export interface HoldOptions {
  readonly userId?: string;
  readonly seatNos?: readonly number[];
  /** How many of each ticket type of the sale, in its order. */
  readonly places?: readonly number[];
  readonly feeKrw?: number;
  readonly slotId?: string | null;
  readonly heldMs?: number;
}

export interface Held {
  readonly id: string;
  readonly userId: string;
  readonly totalKrw: number;
  readonly seatNos: readonly number[];
  readonly fences: readonly number[];
}

/** Null: a seat was not free, or there were not enough places. */
export async function tryHold(database: Database, sale: Sale, options: HoldOptions = {}): Promise<Held | null> {
  try {
    return await aHold(database, sale, options);
  } catch (error) {
    if (error instanceof NotFree) return null;
    throw error;
  }
}

/** Undoes what was taken before it. */
class NotFree extends Error {
  override readonly message = 'what the test wanted to hold was not free';
}

export function aHold(database: Database, sale: Sale, options: HoldOptions = {}): Promise<Held> {
  const { userId = randomUUID(), seatNos = [], places = [], feeKrw = 3_000, heldMs = 5 * 60_000 } = options;
  return database.transaction(async (tx) => {
    await tx.query('INSERT INTO ticketing.buyers (event_id, user_id) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
      ...[sale.eventId, userId],
    ]);
    await tx.query('SELECT FROM ticketing.buyers WHERE event_id = $1 AND user_id = $2 FOR UPDATE', [
      sale.eventId,
      userId,
    ]);
    const { rows: clock } = await tx.query<{ now: Date }>(`SELECT date_trunc('milliseconds', urr.now()) AS now`);
    const now = clock[0]?.now ?? new Date();
    const id = randomUUID();
    const until = new Date(now.getTime() + heldMs);
    const fences = await takeSeats(tx, { eventId: sale.eventId, seatNos, userId, id, now, until });
    const items = sale.ticketTypes.flatMap(({ ticketTypeId, areaId, priceKrw }, index) =>
      places[index]
        ? [{ ticketTypeId, areaId, quantity: places[index], priceKrw, feeKrw: priceKrw === 0 ? 0 : feeKrw }]
        : [],
    );
    if (fences === null || !(await takePlaces(tx, items))) throw new NotFree();
    const fee = sale.priceKrw === 0 ? 0 : feeKrw;
    const seats = seatNos.map((seatNo, n) => ({
      ...{
        seatNo,
        seatId: sale.seatId(seatNo),
        grade: 'R',
        priceKrw: sale.priceKrw,
        feeKrw: fee,
        fence: fences[n] ?? 0,
      },
    }));
    const count = seats.length + items.reduce((sum, { quantity }) => sum + quantity, 0);
    const fees = seats.length * fee + items.reduce((sum, item) => sum + item.quantity * item.feeKrw, 0);
    const totalKrw =
      fees + seats.length * sale.priceKrw + items.reduce((sum, item) => sum + item.quantity * item.priceKrw, 0);
    await tx.query(
      `INSERT INTO ticketing.reservations (id, number, event_id, user_id, status, payment_status, lines, seat_nos, ticket_count, fee_krw,
         total_krw, fence, slot_id, created_at, held_since, expires_at)
       VALUES ($1, $2, $3, $4, 'pending', 'none', $5, $6, $7, $8, $9, $10, $11, $12, $12, $13)`,
      [
        ...[
          id,
          randomBytes(5).toString('hex'),
          sale.eventId,
          userId,
          JSON.stringify({ seats, items }),
          seatNos,
          count,
          fees,
        ],
        ...[totalKrw, Math.max(0, ...fences), options.slotId === undefined ? `slot-${id}` : options.slotId, now, until],
      ],
    );
    await tx.query('UPDATE ticketing.buyers SET live = live + $3 WHERE event_id = $1 AND user_id = $2', [
      ...[sale.eventId, userId, count],
    ]);
    await tx.query(
      `INSERT INTO ticketing.ledger (at, event_id, act, reservation_id, reservation_version, reservation_status, user_id, seat_nos,
         seat_fences, seat_steps, seat_state, held_until, ticket_type_ids, left_changes, cause)
       VALUES ($1, $2, 'held', $3, 1, 'pending', $4, $5, $6, $7, $8, $9, $10, $11,
         jsonb_build_object('lines', ticketing.lines_fingerprint($12::jsonb)))`,
      [
        ...[now, sale.eventId, id, userId],
        ...(seats.length > 0 ? [seatNos, fences, fences.map(() => 0), 1] : [null, null, null, null]),
        until,
        ...(items.length > 0
          ? [items.map((item) => item.ticketTypeId), items.map((item) => -item.quantity)]
          : [null, null]),
        JSON.stringify({ seats, items }),
      ],
    );
    return { id, userId, totalKrw, seatNos, fences };
  });
}

interface Taking {
  readonly eventId: string;
  readonly seatNos: readonly number[];
  readonly userId: string;
  readonly id: string;
  readonly now: Date;
  readonly until: Date;
}

async function takeSeats(
  tx: Transaction,
  { eventId, seatNos, userId, id, now, until }: Taking,
): Promise<number[] | null> {
  await tx.query('SELECT FROM ticketing.seats WHERE event_id = $1 AND seat_no = ANY ($2) ORDER BY seat_no FOR UPDATE', [
    ...[eventId, seatNos],
  ]);
  const { rows: free } = await tx.query(
    `SELECT FROM ticketing.seats WHERE event_id = $1 AND seat_no = ANY ($2) AND (state = 0 OR (state = 1 AND held_until <= $3))`,
    [eventId, seatNos, now],
  );
  if (free.length < seatNos.length) return null;
  const { rows } = await tx.query<{ seat_no: number; fence: number }>(
    `UPDATE ticketing.seats SET state = 1, reservation_id = $3, user_id = $4, held_until = $5, fence = fence + 1, step = 0
     WHERE event_id = $1 AND seat_no = ANY ($2) RETURNING seat_no, fence`,
    [eventId, seatNos, id, userId, until],
  );
  return seatNos.map((seatNo) => rows.find((row) => row.seat_no === seatNo)?.fence ?? 0);
}

async function takePlaces(
  tx: Transaction,
  items: readonly { ticketTypeId: string; quantity: number }[],
): Promise<boolean> {
  for (const { ticketTypeId, quantity } of [...items].sort((a, b) => (a.ticketTypeId < b.ticketTypeId ? -1 : 1))) {
    await tx.query('SELECT FROM ticketing.shards WHERE ticket_type_id = $1 ORDER BY shard_no FOR UPDATE', [
      ticketTypeId,
    ]);
    const { rowCount } = await tx.query(
      `UPDATE ticketing.shards SET places_left = places_left - $2 WHERE ticket_type_id = $1 AND shard_no = (
         SELECT min(shard_no) FROM ticketing.shards WHERE ticket_type_id = $1 AND places_left >= $2)`,
      [ticketTypeId, quantity],
    );
    if (rowCount === 0) return false;
  }
  return true;
}
