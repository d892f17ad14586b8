import type { Transaction } from '#platform/postgres/database.ts';
import type { EventFacts } from '../domain/event.ts';
import { layoutSummary } from './layouts.ts';
import type { CatalogTables } from './tables.ts';

/**
 * Which of the things that an event names do not exist. Those that do are kept from being deleted, and the layout from
 * being redrawn, until the transaction ends.
 */
export async function missingReferences(
  tx: Transaction,
  facts: Pick<EventFacts, 'artistId' | 'venueId' | 'layoutId'>,
): Promise<('artistId' | 'venueId' | 'layoutId')[]> {
  const { artistId, venueId, layoutId } = facts;
  const missing: ('artistId' | 'venueId' | 'layoutId')[] = [];
  if (artistId !== null && !(await keep(tx, 'catalog.artists', artistId))) missing.push('artistId');
  if (venueId !== null && !(await keep(tx, 'catalog.venues', venueId))) missing.push('venueId');
  if (layoutId !== null && (await layoutSummary(tx, layoutId, { lock: 'use' })) === null) missing.push('layoutId');
  return missing;
}

export async function keep(tx: Transaction, table: 'catalog.artists' | 'catalog.venues', id: string): Promise<boolean> {
  const row = await tx
    .kysely<CatalogTables>()
    .selectFrom(table)
    .select('id')
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst();
  return row !== undefined;
}
