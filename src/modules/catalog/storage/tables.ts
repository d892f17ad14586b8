import type { ColumnType, Generated } from 'kysely';
import type { GradePrice, TicketType } from '../domain/event.ts';
import type { LayoutTotals, StandingArea } from '../domain/layout.ts';
import type { LayoutSource } from '../domain/layout-source.ts';
import type { Phase } from '../domain/phases.ts';

/** Read as a value, written as text. */
type Json<Value> = ColumnType<Value, string, string>;
type Timestamps = { readonly created_at: Generated<Date>; updated_at: Generated<Date> };

export interface CatalogTables {
  'catalog.artists': ArtistTable;
  'catalog.venues': VenueTable;
  'catalog.layouts': LayoutTable;
  'catalog.events': EventTable;
  'catalog.event_views': { event_id: string; views: number };
}

interface ArtistTable extends Timestamps {
  id: string;
  owner_id: string;
  name: string;
  name_en: string | null;
  description: string;
  image_url: string | null;
  search_text: string;
  version: Generated<number>;
}

interface VenueTable extends Timestamps {
  id: string;
  owner_id: string;
  name: string;
  name_en: string | null;
  address: string;
  address_en: string | null;
  search_text: string;
  version: Generated<number>;
}

interface LayoutTable extends Timestamps {
  id: string;
  owner_id: string;
  venue_id: string;
  name: string;
  /** Of any version. */
  document: Json<LayoutSource>;
  seat_count: number;
  standing_capacity: number;
  seats_by_grade: Json<LayoutTotals['seatsByGrade']>;
  standing_areas: Json<readonly Omit<StandingArea, 'outline'>[]>;
  version: Generated<number>;
}

export interface EventTable extends Timestamps {
  id: string;
  seller_id: string;
  title: string;
  title_en: string | null;
  description: string;
  description_en: string | null;
  image_url: string | null;
  artist_id: string | null;
  venue_id: string | null;
  layout_id: string | null;
  starts_at: Date | null;
  doors_at: Date | null;
  sale_opens_at: Date | null;
  sale_closes_at: Date | null;
  prices: Json<readonly GradePrice[]>;
  ticket_types: Json<readonly TicketType[]>;
  phases: Json<readonly Phase[]>;
  purchase_limit: number;
  hot: boolean;
  queue_enabled: boolean;
  queue_threshold: number | null;
  seat_return_delay_max_seconds: number;
  published_at: Date | null;
  cancelled_at: Date | null;
  cancel_reason: string | null;
  sold_out: Generated<boolean>;
  search_text: string;
  version: Generated<number>;
}
