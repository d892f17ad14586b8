-- What is on: artists, venues, seat layouts and events. Names are in Korean, with English beside them where there is any.
-- `search_text` holds the names in the one form in which they are searched; the program writes it (domain/search-text.ts).
-- `version` grows with every change; a change names the version it is based on.

CREATE TABLE catalog.artists (
  id           uuid PRIMARY KEY,
  owner_id     uuid NOT NULL,
  name         text NOT NULL,
  name_en      text,
  description  text NOT NULL,
  image_url    text,
  search_text  text NOT NULL,
  version      integer NOT NULL DEFAULT 1,
  created_at   timestamptz NOT NULL DEFAULT urr.now(),
  updated_at   timestamptz NOT NULL DEFAULT urr.now()
);
-- Lists are paged by name. "C" orders Hangul syllables by the alphabet, and alike on every machine.
CREATE INDEX artists_by_name ON catalog.artists (name COLLATE "C", id);
CREATE INDEX artists_by_owner ON catalog.artists (owner_id);

CREATE TABLE catalog.venues (
  id           uuid PRIMARY KEY,
  owner_id     uuid NOT NULL,
  name         text NOT NULL,
  name_en      text,
  address      text NOT NULL,
  address_en   text,
  search_text  text NOT NULL,
  version      integer NOT NULL DEFAULT 1,
  created_at   timestamptz NOT NULL DEFAULT urr.now(),
  updated_at   timestamptz NOT NULL DEFAULT urr.now()
);
CREATE INDEX venues_by_name ON catalog.venues (name COLLATE "C", id);
CREATE INDEX venues_by_owner ON catalog.venues (owner_id);

-- The drawing is one document: it is written and read whole, and never changes once a published event uses it.
-- What selling needs to know of it is kept beside it, so that nobody parses a hundred thousand seats to learn a price list.
CREATE TABLE catalog.layouts (
  id                 uuid PRIMARY KEY,
  owner_id           uuid NOT NULL,
  venue_id           uuid NOT NULL REFERENCES catalog.venues (id),
  name               text NOT NULL,
  document           jsonb NOT NULL,
  seat_count         integer NOT NULL CHECK (seat_count >= 0),
  standing_capacity  integer NOT NULL CHECK (standing_capacity >= 0),
  seats_by_grade     jsonb NOT NULL,
  standing_areas     jsonb NOT NULL,
  version            integer NOT NULL DEFAULT 1,
  created_at         timestamptz NOT NULL DEFAULT urr.now(),
  updated_at         timestamptz NOT NULL DEFAULT urr.now(),
  CHECK (seat_count + standing_capacity BETWEEN 1 AND 100000)
);
CREATE INDEX layouts_by_venue ON catalog.layouts (venue_id, id);
CREATE INDEX layouts_by_owner ON catalog.layouts (owner_id);

-- The status is not here: it follows from the marks and the time (domain/event-status.ts).
CREATE TABLE catalog.events (
  id               uuid PRIMARY KEY,
  seller_id        uuid NOT NULL,
  title            text NOT NULL,
  title_en         text,
  description      text NOT NULL,
  description_en   text,
  image_url        text,
  artist_id        uuid REFERENCES catalog.artists (id),
  venue_id         uuid REFERENCES catalog.venues (id),
  layout_id        uuid REFERENCES catalog.layouts (id),
  starts_at        timestamptz,
  doors_at         timestamptz,
  sale_opens_at    timestamptz,
  sale_closes_at   timestamptz,
  prices           jsonb NOT NULL,
  ticket_types     jsonb NOT NULL,
  phases           jsonb NOT NULL,
  purchase_limit   integer NOT NULL CHECK (purchase_limit >= 1),
  hot              boolean NOT NULL,
  queue_enabled    boolean NOT NULL,
  queue_threshold  integer CHECK (queue_threshold >= 1),
  published_at     timestamptz,
  cancelled_at     timestamptz,
  cancel_reason    text,
  sold_out         boolean NOT NULL DEFAULT false,
  search_text      text NOT NULL,
  version          integer NOT NULL DEFAULT 1,
  created_at       timestamptz NOT NULL DEFAULT urr.now(),
  updated_at       timestamptz NOT NULL DEFAULT urr.now(),
  -- Whatever the program does, nothing half-described is ever on sale.
  CHECK (published_at IS NULL OR (
    artist_id IS NOT NULL AND venue_id IS NOT NULL AND layout_id IS NOT NULL AND starts_at IS NOT NULL
    AND sale_opens_at < sale_closes_at AND sale_closes_at <= starts_at)),
  CHECK (cancelled_at IS NULL OR (published_at IS NOT NULL AND cancel_reason IS NOT NULL))
);
CREATE INDEX events_by_seller ON catalog.events (seller_id, id DESC);
CREATE INDEX events_by_artist ON catalog.events (artist_id);
CREATE INDEX events_by_venue ON catalog.events (venue_id);
CREATE INDEX events_by_layout ON catalog.events (layout_id);
CREATE INDEX events_on_sale ON catalog.events (sale_closes_at) WHERE published_at IS NOT NULL AND cancelled_at IS NULL;

-- Apart from the event, so that a rush of views never waits for, nor delays, a seller's change.
CREATE TABLE catalog.event_views (
  event_id  uuid PRIMARY KEY REFERENCES catalog.events (id) ON DELETE CASCADE,
  views     bigint NOT NULL CHECK (views >= 0)
);
