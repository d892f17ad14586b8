-- What is sold: events as catalog told of them, their seats and standing places, holds, reservations, tickets, and the
-- ledger of everything that happened to them.
--
-- Lock order, everywhere: idempotency keys, buyers (event, user), reservations (id), seats (event, seat_no), shards (ticket type,
-- shard), tickets (id). Locking queries name rows by their keys and never by a state; state is read after the locks, with one
-- `urr.now()` for the whole call.

-- An event as the newest message on catalog-events tells it. `offer` is a fingerprint of what its seats are made from: layout,
-- prices, ticket types. `built_offer` is that of the seats that stand; nothing is sold while the two differ.
CREATE TABLE ticketing.events (
  event_id             uuid PRIMARY KEY,
  version              integer NOT NULL,
  facts                jsonb NOT NULL,
  offer                text NOT NULL,
  built_offer          text,
  seller_id            uuid NOT NULL,
  sale_opens_at        timestamptz NOT NULL,
  sale_closes_at       timestamptz NOT NULL,
  starts_at            timestamptz NOT NULL,
  doors_at             timestamptz,
  purchase_limit       integer NOT NULL CHECK (purchase_limit >= 1),
  -- A seat that comes back from a cancellation is first held by nobody for a random time up to this.
  return_delay_max_ms  integer NOT NULL DEFAULT 0 CHECK (return_delay_max_ms >= 0),
  cancelled_at         timestamptz,
  cancel_reason        text,
  -- A pass that began 10 s after the mark found nothing left to cancel.
  cancel_done_at       timestamptz,
  -- What catalog was last told, and when.
  sold_out             boolean,
  sold_out_told_at     timestamptz,
  changed_at           timestamptz NOT NULL DEFAULT urr.now()
);
CREATE INDEX events_changed ON ticketing.events (changed_at);
CREATE INDEX events_by_close ON ticketing.events (sale_closes_at);

-- The seats of an event as its layout has them: labels, grades, prices, coordinates, in columns. Kept here, so that what is built
-- is sold while catalog is away. `seat_no` counts through it in order, from 0.
CREATE TABLE ticketing.plans (
  event_id   uuid PRIMARY KEY REFERENCES ticketing.events (event_id),
  offer      text NOT NULL,
  layout_id  uuid NOT NULL,
  plan       jsonb NOT NULL
);

-- One row a seat, and nothing in it that does not change, so that updates stay small and on their page (HOT): no index but the key.
-- state: 0 available, 1 held, 2 paying, 3 sold, 4 blocked (domain/seat.ts). A held seat without a reservation comes back at `held_until`.
CREATE TABLE ticketing.seats (
  event_id        uuid NOT NULL REFERENCES ticketing.events (event_id),
  seat_no         integer NOT NULL,
  state           smallint NOT NULL DEFAULT 0,
  reservation_id  uuid,
  user_id         uuid,
  held_until      timestamptz,
  fence           bigint NOT NULL DEFAULT 0,
  step            integer NOT NULL DEFAULT 0,
  PRIMARY KEY (event_id, seat_no),
  CHECK (CASE state
    WHEN 0 THEN reservation_id IS NULL AND held_until IS NULL
    WHEN 1 THEN held_until IS NOT NULL
    WHEN 2 THEN reservation_id IS NOT NULL
    WHEN 3 THEN reservation_id IS NOT NULL
    WHEN 4 THEN reservation_id IS NULL AND held_until IS NULL
    ELSE false END),
  CHECK ((reservation_id IS NULL) = (user_id IS NULL))
) WITH (fillfactor = 60);

-- Standing and general admission. capacity = what is left in all shards + what live reservations hold + what is sold.
CREATE TABLE ticketing.ticket_types (
  ticket_type_id  uuid PRIMARY KEY,
  event_id        uuid NOT NULL REFERENCES ticketing.events (event_id),
  area_id         text NOT NULL,
  name            text NOT NULL,
  name_en         text,
  capacity        integer NOT NULL CHECK (capacity >= 0),
  price_krw       integer NOT NULL CHECK (price_krw >= 0)
);
CREATE INDEX ticket_types_by_event ON ticketing.ticket_types (event_id);

CREATE TABLE ticketing.shards (
  ticket_type_id  uuid NOT NULL REFERENCES ticketing.ticket_types (ticket_type_id),
  shard_no        smallint NOT NULL,
  places_left     integer NOT NULL CHECK (places_left >= 0),
  PRIMARY KEY (ticket_type_id, shard_no)
) WITH (fillfactor = 30);

-- How many tickets a user holds or has bought of an event: what the purchase limit counts. Changes only together with a
-- transition of one of the user's reservations.
CREATE TABLE ticketing.buyers (
  event_id  uuid NOT NULL,
  user_id   uuid NOT NULL,
  live      integer NOT NULL DEFAULT 0 CHECK (live >= 0),
  PRIMARY KEY (event_id, user_id)
) WITH (fillfactor = 60);

-- States: domain/reservation.ts. `lines` is what was granted, and never changes. `version` grows with every transition.
CREATE TABLE ticketing.reservations (
  id                uuid PRIMARY KEY,
  number            text NOT NULL,
  -- No foreign key: it would lock the event's row once for every reservation, and hold_batch has read it.
  event_id          uuid NOT NULL,
  user_id           uuid NOT NULL,
  status            text NOT NULL CHECK (status IN
    ('pending', 'paying', 'waiting_for_deposit', 'confirmed', 'partially_cancelled', 'cancelled', 'expired', 'released')),
  payment_status    text NOT NULL CHECK (payment_status IN
    ('none', 'pending', 'paid', 'refund_requested', 'partially_refunded', 'refunded')),
  lines             jsonb NOT NULL,
  seat_nos          integer[] NOT NULL,
  ticket_count      integer NOT NULL CHECK (ticket_count >= 1),
  fee_krw           integer NOT NULL CHECK (fee_krw >= 0),
  total_krw         integer NOT NULL CHECK (total_krw >= 0),
  fence             bigint NOT NULL,
  -- `jti` of the entry token with which it was made.
  slot_id           text,
  created_at        timestamptz NOT NULL,
  -- Since when its holder has had a seat or place of it: from a reservation that it replaced, perhaps. Holds end ten minutes after it.
  held_since        timestamptz NOT NULL DEFAULT urr.now(),
  expires_at        timestamptz NOT NULL,
  is_extended       boolean NOT NULL DEFAULT false,
  -- The payment attempt that has it pinned, and how many there were.
  attempt_id        uuid,
  attempts          smallint NOT NULL DEFAULT 0,
  -- Cancelled while being paid for: a capture that still comes is refunded.
  refund_requested  boolean NOT NULL DEFAULT false,
  cancel_reason     text,
  order_id          text,
  paid_krw          integer NOT NULL DEFAULT 0,
  refunded_krw      integer NOT NULL DEFAULT 0,
  confirmed_at      timestamptz,
  version           integer NOT NULL DEFAULT 1
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX reservations_number ON ticketing.reservations (number);
CREATE INDEX reservations_by_user ON ticketing.reservations (user_id, id DESC);
CREATE INDEX reservations_by_buyer ON ticketing.reservations (user_id, event_id) WHERE status IN ('pending', 'paying', 'waiting_for_deposit');
CREATE INDEX reservations_by_event ON ticketing.reservations (event_id, id);
-- What the sweeper looks for.
CREATE INDEX reservations_lapsing ON ticketing.reservations (expires_at) WHERE status = 'pending';
-- What a buyer of standing places looks for when too few are left.
CREATE INDEX reservations_lapsing_places ON ticketing.reservations (event_id, expires_at) WHERE status = 'pending' AND seat_nos = '{}';

-- One row for each payment attempt that was ever heard of. `version` is the payment's: only higher ones are applied, and an
-- attempt that has ended is never pinned again.
CREATE TABLE ticketing.attempts (
  attempt_id      uuid PRIMARY KEY,
  reservation_id  uuid NOT NULL,
  order_id        text,
  state           text NOT NULL CHECK (state IN ('pinned', 'unpinned', 'waiting_for_deposit', 'confirmed', 'failed', 'rejected', 'reversed')),
  version         integer NOT NULL DEFAULT 0,
  amount_krw      integer NOT NULL,
  refunded_krw    integer NOT NULL DEFAULT 0,
  pinned_at       timestamptz,
  ended_at        timestamptz
);
CREATE INDEX attempts_by_reservation ON ticketing.attempts (reservation_id);
CREATE INDEX attempts_pinned ON ticketing.attempts (pinned_at) WHERE state = 'pinned';

-- States: domain/ticket.ts. A code shows `version`; one with a lower version is void.
CREATE TABLE ticketing.tickets (
  id               uuid PRIMARY KEY,
  event_id         uuid NOT NULL REFERENCES ticketing.events (event_id),
  reservation_id   uuid NOT NULL REFERENCES ticketing.reservations (id),
  owner_id         uuid NOT NULL,
  seat_no          integer,
  seat_id          text,
  grade            text,
  ticket_type_id   uuid,
  area_id          text,
  price_krw        integer NOT NULL,
  fee_krw          integer NOT NULL,
  -- The order that last paid for it; null where it cost nothing.
  order_id         text,
  state            text NOT NULL CHECK (state IN ('issued', 'listed', 'checked_in', 'void')),
  version          integer NOT NULL DEFAULT 1 CHECK (version BETWEEN 1 AND 65534),
  issued_at        timestamptz NOT NULL,
  checked_in_at    timestamptz,
  checked_in_gate  text,
  checked_in_by    uuid,
  voided_at        timestamptz,
  void_reason      text,
  CHECK ((seat_no IS NULL) <> (ticket_type_id IS NULL)),
  CHECK ((state = 'checked_in') = (checked_in_at IS NOT NULL)),
  CHECK ((state = 'void') = (voided_at IS NOT NULL))
);
-- The backstop: whatever else fails, no seat has two live tickets.
CREATE UNIQUE INDEX tickets_one_live_per_seat ON ticketing.tickets (event_id, seat_no) WHERE seat_no IS NOT NULL AND state <> 'void';
CREATE INDEX tickets_by_owner ON ticketing.tickets (owner_id, id DESC);
CREATE INDEX tickets_by_reservation ON ticketing.tickets (reservation_id);
CREATE INDEX tickets_revoked ON ticketing.tickets (event_id, id) WHERE state = 'void' OR version > 1;

-- Cancellations of tickets, each once: `cancelTickets` may be repeated by its id.
CREATE TABLE ticketing.cancellations (
  cancellation_id  uuid PRIMARY KEY,
  reservation_id   uuid NOT NULL REFERENCES ticketing.reservations (id),
  reason           text NOT NULL,
  ticket_ids       uuid[] NOT NULL,
  at               timestamptz NOT NULL
);
CREATE INDEX cancellations_by_reservation ON ticketing.cancellations (reservation_id);

-- Every scan, online and offline: two gates with one ticket are told from this. A scanner makes the ids of its own scans, so they
-- are unique within an event only.
CREATE TABLE ticketing.scans (
  event_id     uuid NOT NULL,
  scan_id      uuid NOT NULL,
  ticket_id    uuid,
  verdict      text NOT NULL,
  gate         text,
  scanned_at   timestamptz NOT NULL,
  received_at  timestamptz NOT NULL DEFAULT urr.now(),
  scanned_by   uuid NOT NULL,
  is_offline   boolean NOT NULL,
  PRIMARY KEY (event_id, scan_id)
);
CREATE INDEX scans_by_ticket ON ticketing.scans (ticket_id);

-- Everything that happened, never changed. One row is one transition of one reservation, or of some seats, with all seats, places and
-- tickets that it moved and what they are afterwards. `id` has gaps and is no order; (fence, step) orders a seat,
-- `reservation_version` a reservation, (ticket, version, state) a ticket. `xid` is what readers follow: rows are read up to
-- the oldest transaction still under way, so that none is skipped that commits late.
CREATE TABLE ticketing.ledger (
  id                   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  xid                  xid8 NOT NULL DEFAULT pg_current_xact_id(),
  at                   timestamptz NOT NULL,
  event_id             uuid NOT NULL,
  -- built, repriced, held, extended, released, expired, pinned, unpinned, awaiting_deposit, confirmed, refund_requested, cancelled,
  -- refunded, rejected, returned, blocked, unblocked, checked_in
  act                  text NOT NULL,
  reservation_id       uuid,
  reservation_version  integer,
  reservation_status   text,
  user_id              uuid,
  -- Parallel lists; `seat_state` and `held_until` are those of all of them.
  seat_nos             integer[],
  seat_fences          bigint[],
  seat_steps           integer[],
  seat_state           smallint,
  held_until           timestamptz,
  -- Parallel lists: by how much the places left of each ticket type changed.
  ticket_type_ids      uuid[],
  left_changes         integer[],
  ticket_ids           uuid[],
  ticket_versions      integer[],
  ticket_state         text,
  -- Whatever else explains it: reason, attempt, order, gate, capacities of what was built.
  cause                jsonb
);
CREATE INDEX ledger_by_xid ON ticketing.ledger (xid, id);
CREATE INDEX ledger_by_event ON ticketing.ledger (event_id, id);

CREATE FUNCTION ticketing.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the ledger is append-only';
END $$;
CREATE TRIGGER ledger_append_only BEFORE UPDATE OR DELETE ON ticketing.ledger
  FOR EACH ROW EXECUTE FUNCTION ticketing.refuse_change();
-- TRUNCATE passes by row triggers.
CREATE TRIGGER ledger_never_truncated BEFORE TRUNCATE ON ticketing.ledger
  FOR EACH STATEMENT EXECUTE FUNCTION ticketing.refuse_change();
