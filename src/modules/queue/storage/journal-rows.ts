import type { Queryable } from '#platform/postgres/database.ts';
import type { PlaceOrder } from '../domain/place-order.ts';
import type { Slot, SlotRecord, StoreSnapshot } from '../ports.ts';
import type { GatheredSlot } from './journal-batch.ts';
import { applyMarks, groupMarks, type SpentRange } from './spent-bits.ts';

/** Statements on `queue.slots`, `queue.spent` and `queue.returned`. Writers hold the lock of the event's row. */

/** How long an ended slot is remembered, and how many are forgotten at a time. */
const endedKept = `interval '10 minutes'`;
const pruneMax = 5_000;

const slotColumns = 'slot_id AS "slotId", user_id AS "userId", place AS "order", ends_at AS "endsAt"';

type SlotRow<Kind extends Slot> = Omit<Kind, 'endsAtMs'> & { readonly endsAt: Date };

/** Before the marks of the same changes are saved: until then the places that were given back are those before them. */
export async function saveSlots(on: Queryable, eventId: string, slots: readonly GatheredSlot[]): Promise<void> {
  if (slots.length === 0) return;
  // Of a slot that is known only one thing can be new: that it was claimed. For one that has ended that is no news.
  await on.query(
    `INSERT INTO queue.slots (event_id, slot_id, user_id, place, ends_at, claimed, last_chance)
     SELECT $1, slot_id, user_id, place, ends_at, claimed, last_chance
            OR EXISTS (SELECT FROM queue.returned WHERE event_id = $1 AND returned.place = given.place)
       FROM unnest($2::text[], $3::text[], $4::bigint[], $5::timestamptz[], $6::boolean[], $7::boolean[])
            AS given (slot_id, user_id, place, ends_at, claimed, last_chance)
     ON CONFLICT (event_id, slot_id) DO UPDATE SET claimed = true
       WHERE excluded.claimed AND NOT slots.claimed AND slots.ended_at IS NULL`,
    [
      eventId,
      slots.map(({ slotId }) => slotId),
      slots.map(({ userId }) => userId),
      slots.map(({ order }) => order),
      slots.map(({ endsAtMs }) => new Date(endsAtMs)),
      slots.map(({ claimed }) => claimed),
      slots.map(({ lastChance }) => lastChance),
    ],
  );
}

export async function markEnded(on: Queryable, eventId: string, slotIds: readonly string[]): Promise<void> {
  if (slotIds.length === 0) return;
  await on.query(
    `UPDATE queue.slots SET ended_at = urr.now()
      WHERE event_id = $1 AND slot_id = ANY($2::text[]) AND ended_at IS NULL`,
    [eventId, slotIds],
  );
}

/**
 * Those whose time is over are loaded too: the store drops them by its own clock. Of one user's at most one is live, the
 * latest, wherever what was written was cut.
 */
export async function liveSlots(on: Queryable, eventId: string): Promise<(SlotRecord & { lastChance: boolean })[]> {
  const { rows } = await on.query<SlotRow<SlotRecord & { lastChance: boolean }>>(
    `SELECT * FROM (
       SELECT DISTINCT ON (user_id) ${slotColumns}, claimed, last_chance AS "lastChance" FROM queue.slots
        WHERE event_id = $1 AND ended_at IS NULL ORDER BY user_id, ends_at DESC, place DESC) AS live
      ORDER BY "endsAt", "order"`,
    [eventId],
  );
  return rows.map(({ endsAt, ...slot }) => ({ ...slot, endsAtMs: endsAt.getTime() }));
}

export async function slotsEndedEarly(on: Queryable, eventId: string): Promise<StoreSnapshot['denied']> {
  const { rows } = await on.query<{ slotId: string; endsAt: Date }>(
    `SELECT slot_id AS "slotId", ends_at AS "endsAt" FROM queue.slots
      WHERE event_id = $1 AND ended_at IS NOT NULL AND ends_at > urr.now() ORDER BY ends_at, slot_id`,
    [eventId],
  );
  return rows.map(({ slotId, endsAt }) => ({ slotId, untilMs: endsAt.getTime() }));
}

export async function someSlots(on: Queryable, eventId: string, count: number): Promise<Slot[]> {
  const { rows } = await on.query<SlotRow<Slot>>(
    `SELECT ${slotColumns} FROM queue.slots
      WHERE event_id = $1 AND ended_at IS NULL AND ends_at > urr.now() ORDER BY random() LIMIT $2`,
    [eventId, count],
  );
  return rows.map(({ endsAt, ...slot }) => ({ ...slot, endsAtMs: endsAt.getTime() }));
}

export async function pruneSlots(on: Queryable): Promise<number> {
  const { rowCount } = await on.query(
    `DELETE FROM queue.slots WHERE (event_id, slot_id) IN (
       SELECT event_id, slot_id FROM queue.slots
        WHERE ends_at < urr.now() - ${endedKept} ORDER BY ends_at LIMIT ${pruneMax})`,
  );
  return rowCount;
}

/** Waited for: places that were given back and that no slot was given for since. */
export async function returnedPlaces(on: Queryable, eventId: string): Promise<PlaceOrder[]> {
  const { rows } = await on.query<{ place: PlaceOrder }>(
    'SELECT place FROM queue.returned WHERE event_id = $1 ORDER BY place',
    [eventId],
  );
  return rows.map(({ place }) => place);
}

/** Only a place that is given back is ever marked as not spent. */
export async function saveReturned(
  on: Queryable,
  eventId: string,
  marks: ReadonlyMap<PlaceOrder, boolean>,
): Promise<void> {
  const orders = (isSpent: boolean) => [...marks].flatMap(([order, mark]) => (mark === isSpent ? [order] : []));
  const [over, back] = [orders(true), orders(false)];
  if (over.length > 0) {
    await on.query('DELETE FROM queue.returned WHERE event_id = $1 AND place = ANY($2::bigint[])', [eventId, over]);
  }
  if (back.length > 0) {
    await on.query(
      `INSERT INTO queue.returned (event_id, place) SELECT $1, unnest($2::bigint[]) ON CONFLICT DO NOTHING`,
      [eventId, back],
    );
  }
}

export async function spentRanges(on: Queryable, eventId: string): Promise<SpentRange[]> {
  const { rows } = await on.query<SpentRange>(
    'SELECT era, range, bits FROM queue.spent WHERE event_id = $1 ORDER BY era, range',
    [eventId],
  );
  return rows;
}

/** Reads and writes the rows that are touched; the lock of the event's row makes the two one step. */
export async function saveMarks(
  on: Queryable,
  eventId: string,
  marks: ReadonlyMap<PlaceOrder, boolean>,
): Promise<void> {
  if (marks.size === 0) return;
  const groups = groupMarks(marks);
  const { rows } = await on.query<SpentRange>(
    `SELECT era, range, bits FROM queue.spent JOIN unnest($2::integer[], $3::integer[]) AS wanted (era, range) USING (era, range)
      WHERE event_id = $1`,
    [eventId, groups.map(({ era }) => era), groups.map(({ range }) => range)],
  );
  const before = new Map(rows.map((row) => [`${row.era}/${row.range}`, row.bits]));
  const changed = groups.flatMap(({ era, range, marks: wanted }) => {
    const bits = applyMarks(before.get(`${era}/${range}`), wanted);
    return bits === null ? [] : [{ era, range, bits }];
  });
  if (changed.length === 0) return;
  await on.query(
    `INSERT INTO queue.spent (event_id, era, range, bits)
     SELECT $1, * FROM unnest($2::integer[], $3::integer[], $4::bytea[])
     ON CONFLICT (event_id, era, range) DO UPDATE SET bits = excluded.bits`,
    [eventId, changed.map(({ era }) => era), changed.map(({ range }) => range), changed.map(({ bits }) => bits)],
  );
}
