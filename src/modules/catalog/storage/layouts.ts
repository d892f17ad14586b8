import { type Selectable, sql } from 'kysely';
import { inSlices } from '#platform/concurrency/in-slices.ts';
import { decodeCursor, encodeCursor, type Page, pageOf } from '#platform/paging.ts';
import type { Queryable, Transaction } from '#platform/postgres/database.ts';
import { type LayoutDocument, layoutTotals } from '../domain/layout.ts';
import { type LayoutSource, layoutDocumentOf } from '../domain/layout-source.ts';
import type { SellableLayout } from '../domain/publishing.ts';
import type { CatalogTables } from './tables.ts';

export interface LayoutInput {
  readonly name: string;
  readonly document: LayoutDocument;
}

/** Everything but the drawing itself. */
export interface LayoutSummary extends SellableLayout {
  readonly id: string;
  readonly ownerId: string;
  readonly name: string;
  readonly version: number;
}

export async function insertLayout(
  tx: Transaction,
  layout: LayoutInput & { id: string; ownerId: string; venueId: string },
): Promise<void> {
  const { id, ownerId, venueId } = layout;
  await tx
    .kysely<CatalogTables>()
    .insertInto('catalog.layouts')
    .values({ id, owner_id: ownerId, venue_id: venueId, ...(await inSlices(columnsOf(layout))) })
    .execute();
}

const summaryColumns = [
  'id',
  'owner_id',
  'venue_id',
  'name',
  'seat_count',
  'standing_capacity',
  'seats_by_grade',
  'standing_areas',
  'version',
] as const;

/** `use`: it may not be redrawn until the transaction ends. `change`: nor may anybody begin to use it. */
export async function layoutSummary(
  on: Queryable,
  id: string,
  options: { lock?: 'use' | 'change' } = {},
): Promise<LayoutSummary | null> {
  const query = on.kysely<CatalogTables>().selectFrom('catalog.layouts').select(summaryColumns).where('id', '=', id);
  const locked = options.lock === 'use' ? query.forShare() : options.lock === 'change' ? query.forUpdate() : query;
  const row = await locked.executeTakeFirst();
  return row === undefined ? null : toSummary(row);
}

/**
 * Rows that were written before version 2 are read as if they had been. The sections come as rows of their own, so that a drawing
 * of 100,000 seats is parsed piece by piece as it arrives, and everybody else gets a turn between them.
 */
export async function layoutDocument(on: Queryable, id: string): Promise<LayoutDocument | null> {
  const { rows: parts } = await on.query<{ part: unknown }>(
    `WITH drawn AS MATERIALIZED (SELECT document FROM catalog.layouts WHERE id = $1)
     SELECT document - 'sections' AS part, 0 AS place FROM drawn
     UNION ALL
     SELECT section, place FROM drawn, jsonb_array_elements(document -> 'sections') WITH ORDINALITY AS listed (section, place)
     ORDER BY place`,
    [id],
  );
  const [rest, ...sections] = parts.map(({ part }) => part);
  if (rest === undefined) return null;
  // The two halves of what was written as one.
  const document = {
    ...(rest as Omit<LayoutSource, 'sections'>),
    sections: sections as LayoutSource['sections'],
  };
  // Only what `layoutDocumentOf` has made is written as version 2, and making it once more would take as long as parsing it.
  return document.documentVersion === 2 ? (document as LayoutDocument) : layoutDocumentOf(document);
}

export async function listLayouts(
  on: Queryable,
  query: { venueId?: string; ownerId?: string; cursor?: string; limit: number },
): Promise<Page<LayoutSummary>> {
  let select = on.kysely<CatalogTables>().selectFrom('catalog.layouts').select(summaryColumns);
  if (query.venueId !== undefined) select = select.where('venue_id', '=', query.venueId);
  if (query.ownerId !== undefined) select = select.where('owner_id', '=', query.ownerId);
  if (query.cursor !== undefined) select = select.where('id', '<', decodeCursor(query.cursor, ['id'])[0]);
  const rows = await select
    .orderBy('id', 'desc')
    .limit(query.limit + 1)
    .execute();
  const page = pageOf(rows, query.limit, (last) => encodeCursor([last.id]));
  return { ...page, items: page.items.map(toSummary) };
}

/** The caller has locked the row, compared the version and found no published event that uses it. */
export async function updateLayout(tx: Transaction, id: string, input: LayoutInput): Promise<void> {
  await tx
    .kysely<CatalogTables>()
    .updateTable('catalog.layouts')
    .set({ ...(await inSlices(columnsOf(input))), version: sql`version + 1`, updated_at: sql`urr.now()` })
    .where('id', '=', id)
    .execute();
}

export async function deleteLayout(tx: Transaction, id: string): Promise<void> {
  await tx.kysely<CatalogTables>().deleteFrom('catalog.layouts').where('id', '=', id).execute();
}

export async function venueHasLayouts(tx: Transaction, venueId: string): Promise<boolean> {
  const page = await listLayouts(tx, { venueId, limit: 1 });
  return page.items.length > 0;
}

/** A section at a time: written down at once, 100,000 seats take as long as a hundred requests. */
function* columnsOf({ name, document }: LayoutInput) {
  const totals = layoutTotals(document);
  yield;
  const { sections, ...rest } = document;
  const texts: string[] = [];
  for (const section of sections) {
    texts.push(JSON.stringify(section));
    yield;
  }
  return {
    name,
    document: `${JSON.stringify(rest).slice(0, -1)},"sections":[${texts.join()}]}`,
    seat_count: totals.seatCount,
    standing_capacity: totals.standingCapacity,
    seats_by_grade: JSON.stringify(totals.seatsByGrade),
    standing_areas: JSON.stringify(document.standingAreas.map(({ outline: _, ...area }) => area)),
  };
}

function toSummary(
  row: Pick<Selectable<CatalogTables['catalog.layouts']>, (typeof summaryColumns)[number]>,
): LayoutSummary {
  return {
    id: row.id,
    ownerId: row.owner_id,
    venueId: row.venue_id,
    name: row.name,
    seatCount: row.seat_count,
    standingCapacity: row.standing_capacity,
    seatsByGrade: row.seats_by_grade,
    standingAreas: row.standing_areas,
    version: row.version,
  };
}
