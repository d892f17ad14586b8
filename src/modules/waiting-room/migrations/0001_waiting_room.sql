-- The rooms and their lines. Nothing is kept per visitor: a number lives in the visitor's own signed requestId.

CREATE TABLE waiting_room.rooms (
  -- Of an event, or * for the room in front of the whole site.
  event_id    text PRIMARY KEY CHECK (event_id = '*' OR event_id ~ '^[0-9a-f-]{36}$'),
  title       text NOT NULL,
  is_active   boolean NOT NULL,
  -- Numbers begin anew in a later one. Tier 2 hands them out, so that no two lines ever share one.
  era         integer NOT NULL CHECK (era >= 0),
  -- Raised whenever the counters are begun anew: another era, or lost. Each has numbers of its own.
  epoch       integer NOT NULL CHECK (epoch >= 1),
  -- The counters have this epoch; until then whoever raised it has until then to bring it there.
  begun       boolean NOT NULL,
  begin_until timestamptz NOT NULL,
  -- As the counters were a second ago, at most.
  given       bigint NOT NULL CHECK (given >= 0),
  serving     bigint NOT NULL CHECK (serving >= 0),
  -- No number beyond it was given in this epoch, whatever became of the counters.
  bound       bigint NOT NULL CHECK (bound >= given),
  -- Tier 2 still has to hear that the room was switched off.
  to_tell     boolean NOT NULL DEFAULT false,
  paused      boolean NOT NULL DEFAULT false,
  -- People a second. Without it, the configured one.
  rate        double precision CHECK (rate >= 0),
  opens_at    timestamptz,
  -- Of the sale. The room in front of the whole site has none.
  closes_at   timestamptz,
  message     text,
  fail_mode   text NOT NULL DEFAULT 'closed' CHECK (fail_mode IN ('open', 'closed')),
  saved_at    timestamptz NOT NULL DEFAULT urr.now(),
  changed_at  timestamptz NOT NULL DEFAULT urr.now()
  -- Written every second of a sale: space on the page keeps the new version beside the old one.
) WITH (fillfactor = 50);
CREATE INDEX rooms_current ON waiting_room.rooms (event_id) WHERE is_active OR to_tell;

-- What the numbers of an epoch mean for the whole line: number n stands at line_offset + n, and numbers after the last one, which
-- may never have been given, at the place of the last.
CREATE TABLE waiting_room.segments (
  event_id     text NOT NULL REFERENCES waiting_room.rooms,
  epoch        integer NOT NULL,
  era          integer NOT NULL,
  -- The first number is the next one after this.
  first        bigint NOT NULL CHECK (first >= 0),
  last         bigint CHECK (last >= first),
  line_offset  bigint NOT NULL,
  PRIMARY KEY (event_id, epoch)
);
