import type { Queryable } from '#platform/postgres/database.ts';
import type { StoreDump } from '../ports.ts';
import { saveSlots } from './journal-rows.ts';
import { rangesOf } from './spent-bits.ts';

/**
 * What the journal knows of an event becomes what the store knows, which is later: slots that the store does not have are
 * over, and marks are those of the store, set and not set. Under the lock of the event's row.
 */
export async function replaceAll(on: Queryable, eventId: string, dump: StoreDump): Promise<void> {
  const returned = new Set(dump.returned);
  const live = dump.slots.map(({ slotId }) => slotId);
  await on.query(
    'UPDATE queue.slots SET ended_at = urr.now() WHERE event_id = $1 AND ended_at IS NULL AND slot_id <> ALL($2::text[])',
    [eventId, live],
  );
  await on.query('UPDATE queue.slots SET ended_at = NULL WHERE event_id = $1 AND slot_id = ANY($2::text[])', [
    eventId,
    live,
  ]);
  await saveSlots(
    on,
    eventId,
    dump.slots.map((slot) => ({ ...slot, lastChance: returned.has(slot.order) })),
  );
  await saveDenied(on, eventId, dump.denied);
  const inSlots = new Set(dump.slots.map(({ order }) => order));
  await on.query('DELETE FROM queue.returned WHERE event_id = $1', [eventId]);
  await on.query('INSERT INTO queue.returned (event_id, place) SELECT $1, unnest($2::bigint[])', [
    eventId,
    dump.returned.filter((order) => !inSlots.has(order)),
  ]);
  const ranges = rangesOf(dump.spent);
  await on.query('DELETE FROM queue.spent WHERE event_id = $1', [eventId]);
  await on.query(
    'INSERT INTO queue.spent (event_id, era, range, bits) SELECT $1, * FROM unnest($2::integer[], $3::integer[], $4::bytea[])',
    [eventId, ranges.map(({ era }) => era), ranges.map(({ range }) => range), ranges.map(({ bits }) => bits)],
  );
}

/** Whose they were is not known any more, and nobody asks: they are over. */
async function saveDenied(on: Queryable, eventId: string, denied: StoreDump['denied']): Promise<void> {
  await on.query(
    `INSERT INTO queue.slots (event_id, slot_id, user_id, place, ends_at, claimed, ended_at)
     SELECT $1, slot_id, '', 0, ends_at, true, urr.now() FROM unnest($2::text[], $3::timestamptz[]) AS given (slot_id, ends_at)
     ON CONFLICT (event_id, slot_id) DO UPDATE SET ended_at = coalesce(slots.ended_at, excluded.ended_at)`,
    [eventId, denied.map(({ slotId }) => slotId), denied.map(({ untilMs }) => new Date(untilMs))],
  );
}
