import { type RawBuilder, sql } from 'kysely';
import { decodeCursor, encodeCursor, type Page, pageOf } from '#platform/paging.ts';
import type { Queryable } from '#platform/postgres/database.ts';
import type { EventStatus } from '../domain/event-status.ts';
import { type EventRecord, selectEvents, toEventRecord } from './event-record.ts';
import { matchesSearch } from './search.ts';

export interface EventListQuery {
  readonly q?: string;
  readonly artistId?: string;
  readonly status?: EventStatus;
  readonly cursor?: string;
  readonly limit: number;
}

/**
 * What is on: live events by the day of the show, then those that are over, the latest first. Each part follows the
 * index of shows by their start, so that a page costs what it holds and not what the catalogue holds. The cursor keeps
 * the moment that divides the two, so that a sale which ends between two pages moves nobody.
 */
export async function listPublicEvents(
  on: Queryable,
  query: EventListQuery & { nowMs: number },
): Promise<Page<EventRecord>> {
  const after = query.cursor === undefined ? null : positionOf(query.cursor);
  const asOfMs = after?.asOfMs ?? query.nowMs;
  const part = { ...query, asOf: new Date(asOfMs), after };
  const wanted = query.limit + 1;
  const live = after?.over === true ? [] : await liveEvents(on, part, wanted);
  const isFull = live.length === wanted || neverOver.has(query.status);
  const over = isFull ? [] : await eventsThatAreOver(on, part, wanted - live.length);
  const rows = [...live.map((row) => ({ row, over: 0 })), ...over.map((row) => ({ row, over: 1 }))];
  const page = pageOf(rows, query.limit, ({ row, over }) =>
    encodeCursor([asOfMs, over, row.starts_at?.getTime() ?? 0, row.id]),
  );
  return { ...page, items: page.items.map(({ row }) => toEventRecord(row)) };
}

const neverOver: ReadonlySet<EventStatus | undefined> = new Set(['announced', 'on_sale', 'sold_out']);

type ListPart = EventListQuery & { readonly nowMs: number; readonly asOf: Date; readonly after: Position | null };

function liveEvents(on: Queryable, { asOf, after, ...query }: ListPart, limit: number) {
  let select = filtered(on, query)
    .where('e.published_at', 'is not', null)
    .where('e.cancelled_at', 'is', null)
    .where('e.sale_closes_at', '>', asOf)
    // Follows from the line above, since no sale outlasts the start of its show; the index begins here.
    .where('e.starts_at', '>', asOf);
  if (after !== null)
    select = select.where(sql<boolean>`(e.starts_at, e.id) > (${after.startsAt}::timestamptz, ${after.id}::uuid)`);
  return select.orderBy('e.starts_at').orderBy('e.id').limit(limit).execute();
}

function eventsThatAreOver(on: Queryable, { asOf, after, ...query }: ListPart, limit: number) {
  let select = filtered(on, query)
    .where('e.published_at', 'is not', null)
    .where(sql<boolean>`(e.cancelled_at IS NOT NULL OR e.sale_closes_at <= ${asOf})`);
  if (after?.over)
    select = select
      .where('e.starts_at', '<=', after.startsAt)
      .where(sql<boolean>`(e.starts_at < ${after.startsAt} OR e.id > ${after.id}::uuid)`);
  return select.orderBy('e.starts_at', 'desc').orderBy('e.id').limit(limit).execute();
}

/** Where the page before ended. */
interface Position {
  readonly asOfMs: number;
  readonly over: boolean;
  readonly startsAt: Date;
  readonly id: string;
}

function positionOf(cursor: string): Position {
  const [asOfMs, over, startsAtMs, id] = decodeCursor(cursor, ['ms', 'ms', 'ms', 'id']);
  return { asOfMs, over: over !== 0, startsAt: new Date(startsAtMs), id };
}

/** A seller's own events, drafts included, the newest first. Without a seller: everybody's, for the admin. */
export async function listSellerEvents(
  on: Queryable,
  query: EventListQuery & { nowMs: number; sellerId?: string },
): Promise<Page<EventRecord>> {
  let select = filtered(on, query);
  if (query.sellerId !== undefined) select = select.where('e.seller_id', '=', query.sellerId);
  if (query.cursor !== undefined) select = select.where('e.id', '<', decodeCursor(query.cursor, ['id'])[0]);
  const rows = await select
    .orderBy('e.id', 'desc')
    .limit(query.limit + 1)
    .execute();
  const page = pageOf(rows, query.limit, (last) => encodeCursor([last.id]));
  return { ...page, items: page.items.map(toEventRecord) };
}

/** Everything that is announced or on sale, for those who keep event facts of their own. */
export async function listLiveEvents(on: Queryable, query: { nowMs: number; limit: number }): Promise<EventRecord[]> {
  const rows = await selectEvents(on)
    .where('e.published_at', 'is not', null)
    .where('e.cancelled_at', 'is', null)
    .where('e.sale_closes_at', '>', new Date(query.nowMs))
    .orderBy('e.sale_opens_at')
    .orderBy('e.id')
    .limit(query.limit)
    .execute();
  return rows.map(toEventRecord);
}

function filtered(on: Queryable, query: EventListQuery & { nowMs: number }) {
  let select = selectEvents(on);
  if (query.q !== undefined) {
    select = select.where(matchesSearch(query.q, ['e.search_text', 'a.search_text', 'v.search_text']));
  }
  if (query.artistId !== undefined) select = select.where('e.artist_id', '=', query.artistId);
  if (query.status !== undefined) select = select.where(hasStatus(query.status, new Date(query.nowMs)));
  return select;
}

/** `eventStatus` of the domain, in SQL. A test compares the two over random events. */
function hasStatus(status: EventStatus, now: Date): RawBuilder<boolean> {
  const published = sql`e.published_at IS NOT NULL AND e.cancelled_at IS NULL`;
  const inSale = sql`${published} AND e.sale_opens_at <= ${now} AND e.sale_closes_at > ${now}`;
  switch (status) {
    case 'draft':
      return sql`e.published_at IS NULL AND e.cancelled_at IS NULL`;
    case 'announced':
      return sql`${published} AND e.sale_opens_at > ${now} AND e.sale_closes_at > ${now}`;
    case 'on_sale':
      return sql`${inSale} AND NOT e.sold_out`;
    case 'sold_out':
      return sql`${inSale} AND e.sold_out`;
    case 'ended':
      return sql`${published} AND e.sale_closes_at <= ${now}`;
    case 'cancelled':
      return sql`e.cancelled_at IS NOT NULL`;
  }
}
