import { type Selectable, sql } from 'kysely';
import { decodeCursor, encodeCursor, type Page, pageOf } from '#platform/paging.ts';
import type { Queryable, Transaction } from '#platform/postgres/database.ts';
import { searchText } from '../domain/search-text.ts';
import { matchesSearch } from './search.ts';
import type { CatalogTables } from './tables.ts';

export interface ArtistInput {
  readonly name: string;
  readonly nameEn: string | null;
  readonly description: string;
  readonly imageUrl: string | null;
}

export interface Artist extends ArtistInput {
  readonly id: string;
  readonly ownerId: string;
  readonly version: number;
}

export interface NamedListQuery {
  readonly q?: string;
  readonly ownerId?: string;
  readonly cursor?: string;
  readonly limit: number;
}

export async function insertArtist(
  tx: Transaction,
  artist: ArtistInput & { id: string; ownerId: string },
): Promise<void> {
  const { id, ownerId } = artist;
  await tx
    .kysely<CatalogTables>()
    .insertInto('catalog.artists')
    .values({ id, owner_id: ownerId, ...columnsOf(artist) })
    .execute();
}

/**
 * `change` keeps others from changing it until the transaction ends, `delete` also from beginning to refer to it. The
 * first leaves events free to refer to it, so that a rename and a change of an event cannot wait for each other.
 */
export async function artistById(
  on: Queryable,
  id: string,
  options: { lock?: 'change' | 'delete' } = {},
): Promise<Artist | null> {
  const query = on.kysely<CatalogTables>().selectFrom('catalog.artists').selectAll().where('id', '=', id);
  const locked =
    options.lock === 'delete' ? query.forUpdate() : options.lock === 'change' ? query.forNoKeyUpdate() : query;
  const row = await locked.executeTakeFirst();
  return row === undefined ? null : toArtist(row);
}

export async function listArtists(on: Queryable, { q, ownerId, cursor, limit }: NamedListQuery): Promise<Page<Artist>> {
  let query = on.kysely<CatalogTables>().selectFrom('catalog.artists').selectAll();
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
  return { ...page, items: page.items.map(toArtist) };
}

/** The caller has locked the row and compared the version. */
export async function updateArtist(tx: Transaction, id: string, input: ArtistInput): Promise<void> {
  await tx
    .kysely<CatalogTables>()
    .updateTable('catalog.artists')
    .set({ ...columnsOf(input), version: sql`version + 1`, updated_at: sql`urr.now()` })
    .where('id', '=', id)
    .execute();
}

export async function deleteArtist(tx: Transaction, id: string): Promise<void> {
  await tx.kysely<CatalogTables>().deleteFrom('catalog.artists').where('id', '=', id).execute();
}

function columnsOf(input: ArtistInput) {
  return {
    name: input.name,
    name_en: input.nameEn,
    description: input.description,
    image_url: input.imageUrl,
    search_text: searchText(input.name, input.nameEn),
  };
}

function toArtist(row: Selectable<CatalogTables['catalog.artists']>): Artist {
  return {
    id: row.id,
    ownerId: row.owner_id,
    name: row.name,
    nameEn: row.name_en,
    description: row.description,
    imageUrl: row.image_url,
    version: row.version,
  };
}
