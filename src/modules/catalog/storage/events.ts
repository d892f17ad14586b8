import type { Queryable, Transaction } from '#platform/postgres/database.ts';
import type { EventFacts } from '../domain/event.ts';
import { changedNow, type EventRecord, factColumns, selectEvents, toEventRecord } from './event-record.ts';
import type { CatalogTables } from './tables.ts';

/** `lock`: nobody else changes the event until the transaction ends. */
export async function eventById(
  on: Queryable,
  id: string,
  options: { lock?: boolean } = {},
): Promise<EventRecord | null> {
  const query = selectEvents(on).where('e.id', '=', id);
  const row = await (options.lock ? query.forUpdate('e') : query).executeTakeFirst();
  return row === undefined ? null : toEventRecord(row);
}

export async function insertEvent(
  tx: Transaction,
  event: { id: string; sellerId: string; facts: EventFacts },
): Promise<void> {
  await tx
    .kysely<CatalogTables>()
    .insertInto('catalog.events')
    .values({ id: event.id, seller_id: event.sellerId, ...factColumns(event.facts) })
    .execute();
}

/** The caller has locked the row, compared the version and judged the change. */
export async function updateEventFacts(tx: Transaction, id: string, facts: EventFacts): Promise<void> {
  await updateEvent(tx, id)
    .set({ ...factColumns(facts), ...changedNow })
    .execute();
}

export async function markPublished(tx: Transaction, id: string, atMs: number): Promise<void> {
  await updateEvent(tx, id)
    .set({ published_at: new Date(atMs), ...changedNow })
    .execute();
}

export async function markCancelled(
  tx: Transaction,
  id: string,
  mark: { atMs: number; reason: string },
): Promise<void> {
  await updateEvent(tx, id)
    .set({ cancelled_at: new Date(mark.atMs), cancel_reason: mark.reason, ...changedNow })
    .execute();
}

/** The version stays: this is what became of the sale, not what the seller decided. */
export async function setSoldOut(on: Queryable, id: string, soldOut: boolean): Promise<boolean> {
  const result = await updateEvent(on, id)
    .set({ sold_out: soldOut })
    .where('published_at', 'is not', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function deleteEvent(tx: Transaction, id: string): Promise<void> {
  await tx.kysely<CatalogTables>().deleteFrom('catalog.events').where('id', '=', id).execute();
}

export type EventReference = 'artist_id' | 'venue_id' | 'layout_id';

export async function isUsedByEvents(
  tx: Transaction,
  use: { reference: EventReference; id: string; publishedOnly?: boolean },
): Promise<boolean> {
  let query = tx.kysely<CatalogTables>().selectFrom('catalog.events').select('id').where(use.reference, '=', use.id);
  if (use.publishedOnly) query = query.where('published_at', 'is not', null);
  return (await query.limit(1).executeTakeFirst()) !== undefined;
}

/**
 * Published events that show this artist or venue and are not over. Their version is raised and they come back locked,
 * so that the caller can tell the others about the new name. Drafts are locked as well: one that is being published at
 * this moment was told with the old name, and is waited for. All in the order of their ids, so that the renaming of an
 * artist and of a venue who share events cannot wait for each other.
 */
export async function touchShownEvents(
  tx: Transaction,
  use: { reference: EventReference; id: string; nowMs: number },
): Promise<EventRecord[]> {
  await tx
    .kysely<CatalogTables>()
    .selectFrom('catalog.events')
    .select('id')
    .where(use.reference, '=', use.id)
    .where((where) => where.or([where('published_at', 'is', null), where('sale_closes_at', '>', new Date(use.nowMs))]))
    .orderBy('id')
    .forUpdate()
    .execute();
  const touched = await tx
    .kysely<CatalogTables>()
    .updateTable('catalog.events')
    .set(changedNow)
    .where(use.reference, '=', use.id)
    .where('published_at', 'is not', null)
    .where('cancelled_at', 'is', null)
    .where('sale_closes_at', '>', new Date(use.nowMs))
    .returning('id')
    .execute();
  if (touched.length === 0) return [];
  const ids = touched.map((row) => row.id);
  const rows = await selectEvents(tx).where('e.id', 'in', ids).execute();
  return rows.map(toEventRecord);
}

function updateEvent(on: Queryable, id: string) {
  return on.kysely<CatalogTables>().updateTable('catalog.events').where('id', '=', id);
}
