import { type Selectable, sql } from 'kysely';
import type { Queryable } from '#platform/postgres/database.ts';
import type { EventFacts, StoredEvent } from '../domain/event.ts';
import type { SellableLayout } from '../domain/publishing.ts';
import { searchText } from '../domain/search-text.ts';
import type { CatalogTables, EventTable } from './tables.ts';

/** An event with what is shown or sold along with it. */
export interface EventRecord extends StoredEvent {
  readonly artist: Named | null;
  readonly venue: Named | null;
  readonly layout: SellableLayout | null;
  readonly views: number;
}

export interface Named {
  readonly id: string;
  readonly name: string;
  readonly nameEn: string | null;
}

/** The one join that every read of events starts from. */
export function selectEvents(on: Queryable) {
  return on
    .kysely<CatalogTables>()
    .selectFrom('catalog.events as e')
    .leftJoin('catalog.artists as a', 'a.id', 'e.artist_id')
    .leftJoin('catalog.venues as v', 'v.id', 'e.venue_id')
    .leftJoin('catalog.layouts as l', 'l.id', 'e.layout_id')
    .leftJoin('catalog.event_views as w', 'w.event_id', 'e.id')
    .selectAll('e')
    .select([
      'a.name as artist_name',
      'a.name_en as artist_name_en',
      'v.name as venue_name',
      'v.name_en as venue_name_en',
      'l.venue_id as layout_venue_id',
      'l.seat_count',
      'l.standing_capacity',
      'l.seats_by_grade',
      'l.standing_areas',
      'w.views',
    ]);
}

type EventRow = Awaited<ReturnType<ReturnType<typeof selectEvents>['execute']>>[number];

export function toEventRecord(row: EventRow): EventRecord {
  return {
    ...toStoredEvent(row),
    artist: named(row.artist_id, row.artist_name, row.artist_name_en),
    venue: named(row.venue_id, row.venue_name, row.venue_name_en),
    layout: layoutOf(row),
    views: row.views ?? 0,
  };
}

function toStoredEvent(row: Selectable<EventTable>): StoredEvent {
  return {
    id: row.id,
    sellerId: row.seller_id,
    title: row.title,
    titleEn: row.title_en,
    description: row.description,
    descriptionEn: row.description_en,
    imageUrl: row.image_url,
    artistId: row.artist_id,
    venueId: row.venue_id,
    layoutId: row.layout_id,
    startsAt: ms(row.starts_at),
    doorsAt: ms(row.doors_at),
    saleOpensAt: ms(row.sale_opens_at),
    saleClosesAt: ms(row.sale_closes_at),
    prices: row.prices,
    ticketTypes: row.ticket_types,
    phases: row.phases,
    purchaseLimit: row.purchase_limit,
    hot: row.hot,
    queueEnabled: row.queue_enabled,
    queueThreshold: row.queue_threshold,
    seatReturnDelayMaxSeconds: row.seat_return_delay_max_seconds,
    publishedAt: ms(row.published_at),
    cancelledAt: ms(row.cancelled_at),
    cancelReason: row.cancel_reason,
    soldOut: row.sold_out,
    version: row.version,
  };
}

/** What a seller wrote, as columns. */
export function factColumns(facts: EventFacts) {
  return {
    title: facts.title,
    title_en: facts.titleEn,
    description: facts.description,
    description_en: facts.descriptionEn,
    image_url: facts.imageUrl,
    artist_id: facts.artistId,
    venue_id: facts.venueId,
    layout_id: facts.layoutId,
    starts_at: date(facts.startsAt),
    doors_at: date(facts.doorsAt),
    sale_opens_at: date(facts.saleOpensAt),
    sale_closes_at: date(facts.saleClosesAt),
    prices: JSON.stringify(facts.prices),
    ticket_types: JSON.stringify(facts.ticketTypes),
    phases: JSON.stringify(facts.phases),
    purchase_limit: facts.purchaseLimit,
    hot: facts.hot,
    queue_enabled: facts.queueEnabled,
    queue_threshold: facts.queueThreshold,
    seat_return_delay_max_seconds: facts.seatReturnDelayMaxSeconds,
    search_text: searchText(facts.title, facts.titleEn),
  };
}

/** Set along with every change that a seller or admin makes. */
export const changedNow = { version: sql<number>`version + 1`, updated_at: sql<Date>`urr.now()` };

function named(id: string | null, name: string | null, nameEn: string | null): Named | null {
  return id === null || name === null ? null : { id, name, nameEn };
}

function layoutOf(row: EventRow): SellableLayout | null {
  if (row.layout_venue_id === null || row.seats_by_grade === null || row.standing_areas === null) return null;
  return {
    venueId: row.layout_venue_id,
    seatCount: row.seat_count ?? 0,
    standingCapacity: row.standing_capacity ?? 0,
    seatsByGrade: row.seats_by_grade,
    standingAreas: row.standing_areas,
  };
}

function ms(date: Date | null): number | null {
  return date === null ? null : date.getTime();
}

function date(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}
