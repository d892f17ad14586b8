import { type Selectable, sql } from 'kysely';
import { decodeCursor, encodeCursor, type Page, pageOf } from '#platform/paging.ts';
import type { Queryable, Transaction } from '#platform/postgres/database.ts';
import { searchText } from '../domain/search-text.ts';
import type { NamedListQuery } from './artists.ts';
import { matchesSearch } from './search.ts';
import type { CatalogTables } from './tables.ts';

export interface VenueInput {
  readonly name: string;
  readonly nameEn: string | null;
  readonly address: string;
  readonly addressEn: string | null;
}

export interface Venue extends VenueInput {
  readonly id: string;
  readonly ownerId: string;
  readonly version: number;
}

export async function insertVenue(tx: Transaction, venue: VenueInput & { id: string; ownerId: string }): Promise<void> {
  const { id, ownerId } = venue;
  await tx
    .kysely<CatalogTables>()
    .insertInto('catalog.venues')
    .values({ id, owner_id: ownerId, ...columnsOf(venue) })
    .execute();
}

/**
 * `change` keeps others from changing it until the transaction ends, `delete` also from beginning to refer to it. The
 * first leaves events free to refer to it, so that a rename and a change of an event cannot wait for each other.
 */
export async function venueById(
  on: Queryable,
  id: string,
  options: { lock?: 'change' | 'delete' } = {},
): Promise<Venue | null> {
  const query = on.kysely<CatalogTables>().selectFrom('catalog.venues').selectAll().where('id', '=', id);
  const locked =
    options.lock === 'delete' ? query.forUpdate() : options.lock === 'change' ? query.forNoKeyUpdate() : query;
  const row = await locked.executeTakeFirst();
  return row === undefined ? null : toVenue(row);
}

export async function listVenues(on: Queryable, { q, ownerId, cursor, limit }: NamedListQuery): Promise<Page<Venue>> {
  let query = on.kysely<CatalogTables>().selectFrom('catalog.venues').selectAll();
  if (q !== undefined) query = query.where(matchesSearch(q, ['search_text']));
  if (ownerId !== undefined) query = query.where('owner_id', '=', ownerId);
  if (cursor !== undefined) {
    const [name, id] = decodeCursor(cursor, ['text', 'id']);
    query = query.where(sql<boolean>`(name COLLATE "C", id) > (${name}, ${id}::uuid)`);
  }
  const rows = await query
    .orderBy(sql`name COLLATE "C"`)
    .orderBy('id')
    .limit(limit + 1)
    .execute();
  const page = pageOf(rows, limit, (last) => encodeCursor([last.name, last.id]));
  return { ...page, items: page.items.map(toVenue) };
}

/** The caller has locked the row and compared the version. */
export async function updateVenue(tx: Transaction, id: string, input: VenueInput): Promise<void> {
  await tx
    .kysely<CatalogTables>()
    .updateTable('catalog.venues')
    .set({ ...columnsOf(input), version: sql`version + 1`, updated_at: sql`urr.now()` })
    .where('id', '=', id)
    .execute();
}

export async function deleteVenue(tx: Transaction, id: string): Promise<void> {
  await tx.kysely<CatalogTables>().deleteFrom('catalog.venues').where('id', '=', id).execute();
}

function columnsOf(input: VenueInput) {
  return {
    name: input.name,
    name_en: input.nameEn,
    address: input.address,
    address_en: input.addressEn,
    search_text: searchText(input.name, input.nameEn, input.address, input.addressEn),
  };
}

function toVenue(row: Selectable<CatalogTables['catalog.venues']>): Venue {
  return {
    id: row.id,
    ownerId: row.owner_id,
    name: row.name,
    nameEn: row.name_en,
    address: row.address,
    addressEn: row.address_en,
    version: row.version,
  };
}
