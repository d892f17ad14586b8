-- What must outlive the store of the queues: enough to bring an event back after all of it was lost.

CREATE TABLE queue.events (
  event_id     uuid PRIMARY KEY,
  -- Raised whenever the store's state is made anew. Waiting tickets and the store carry it.
  epoch        integer NOT NULL DEFAULT 1 CHECK (epoch >= 1),
  -- Raised whenever numbers begin anew, so that no place is given twice.
  era          integer NOT NULL DEFAULT 0 CHECK (era BETWEEN 0 AND 511),
  -- The store has had this epoch; until then whoever raised it has the time of the lease to bring it there.
  begun        boolean NOT NULL DEFAULT false,
  lease_until  timestamptz NOT NULL,
  -- The server on which it was begun: after a fail-over to a stale copy it is another.
  identity     text,
  -- How many changes of this epoch, and of the one before it, are written here.
  position     bigint NOT NULL DEFAULT 0,
  position_before bigint NOT NULL DEFAULT 0,
  -- Numbers of the era go on after this one.
  sequence     bigint NOT NULL DEFAULT 0,
  -- The highest order that was ever admitted.
  watermark    bigint NOT NULL DEFAULT 0,
  -- How many were waiting.
  crowd        integer NOT NULL DEFAULT 0,
  -- What the operator set. Without a threshold the event or the configuration decides.
  threshold    integer CHECK (threshold >= 0),
  paused       boolean NOT NULL DEFAULT false,
  closed       boolean NOT NULL DEFAULT false,
  message      text,
  created_at   timestamptz NOT NULL DEFAULT urr.now()
  -- Written every second of a sale: room on the page keeps the new version beside the old one.
) WITH (fillfactor = 50);

-- Ended ones stay for some minutes, so that a late message about their beginning cannot bring them back.
CREATE TABLE queue.slots (
  event_id  uuid NOT NULL,
  slot_id   text NOT NULL,
  user_id   text NOT NULL,
  place     bigint NOT NULL,
  ends_at   timestamptz NOT NULL,
  -- The user has asked for it since it was given; an unclaimed one is taken back, and its place returned, after a while.
  claimed   boolean NOT NULL,
  ended_at  timestamptz,
  PRIMARY KEY (event_id, slot_id)
);
CREATE INDEX slots_ends ON queue.slots (ends_at);

-- Places that are over: bit n of range r is number r·8192 + n, the most significant bit of a byte first.
-- A kilobyte a row stays inside the page. Read, changed and written back, a row for each 2^20 numbers took four times
-- as long for a batch of 100; a row for each place takes several hundred times the room.
CREATE TABLE queue.spent (
  event_id  uuid NOT NULL,
  era       integer NOT NULL,
  range     integer NOT NULL,
  bits      bytea NOT NULL CHECK (length(bits) = 1024),
  PRIMARY KEY (event_id, era, range)
) WITH (fillfactor = 60);

-- What is known of the events themselves, from catalog-events: the queue goes on, and starts, with catalog away.
CREATE TABLE queue.event_facts (
  event_id    uuid PRIMARY KEY,
  version     bigint NOT NULL,
  facts       jsonb NOT NULL,
  closes_at   timestamptz NOT NULL,
  changed_at  timestamptz NOT NULL DEFAULT urr.now()
);
CREATE INDEX event_facts_changed ON queue.event_facts (changed_at);
CREATE INDEX event_facts_closes ON queue.event_facts (closes_at);
