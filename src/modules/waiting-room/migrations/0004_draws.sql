-- Draws, one for an era at most. Nothing is kept of an entry but the root of its batch; where an account may enter once, its mark.

CREATE TABLE waiting_room.draws (
  event_id         text NOT NULL REFERENCES waiting_room.rooms,
  era              integer NOT NULL,
  announced_ms     bigint NOT NULL,
  -- What its owner knows before the reveal, and nobody else.
  secret           bytea NOT NULL CHECK (length(secret) = 32),
  commitment       bytea NOT NULL,
  -- Signs receipts. Gone with the freeze, so that none can be made up later.
  receipt_seed     bytea CHECK (length(receipt_seed) = 32),
  receipt_key      bytea NOT NULL,
  sign_in_required boolean NOT NULL,
  beacon           jsonb NOT NULL,
  -- Of the log: how many batches and entries it has, and the hash over the announcement and all of them.
  batches          integer NOT NULL DEFAULT 0,
  entries          bigint NOT NULL DEFAULT 0,
  head             bytea NOT NULL,
  -- From then on the log does not change any more.
  frozen_ms        bigint,
  round            bigint,
  revealed_ms      bigint,
  used_round       bigint,
  value            bytea,
  signature        bytea,
  seed             bytea CHECK (length(seed) = 32),
  -- Frozen, and did not count. Such a row is never deleted.
  void_ms          bigint,
  void_reason      text CHECK (void_reason IN ('unrevealed', 'reset')),
  PRIMARY KEY (event_id, era),
  CHECK ((frozen_ms IS NULL) = (round IS NULL)),
  CHECK (frozen_ms IS NULL OR receipt_seed IS NULL),
  CHECK (seed IS NULL OR frozen_ms IS NOT NULL),
  CHECK (void_reason IS NULL OR frozen_ms IS NOT NULL),
  CHECK (seed IS NULL OR void_reason IS DISTINCT FROM 'unrevealed')
) WITH (fillfactor = 50);

CREATE TABLE waiting_room.draw_batches (
  event_id text NOT NULL,
  era      integer NOT NULL,
  index    integer NOT NULL,
  first    bigint NOT NULL,
  count    integer NOT NULL CHECK (count BETWEEN 1 AND 64),
  root     bytea NOT NULL CHECK (length(root) = 32),
  PRIMARY KEY (event_id, era, index),
  FOREIGN KEY (event_id, era) REFERENCES waiting_room.draws
);

-- Where an account may enter once: what it was given, so that its other browsers get the same.
CREATE TABLE waiting_room.draw_accounts (
  event_id text NOT NULL,
  era      integer NOT NULL,
  -- A hash: it names nobody to a reader of the table.
  account  bytea NOT NULL,
  entry    bigint NOT NULL,
  visitor  text NOT NULL,
  at_ms    bigint NOT NULL,
  PRIMARY KEY (event_id, era, account),
  FOREIGN KEY (event_id, era) REFERENCES waiting_room.draws
);

-- Proofs of work that an entry was given for, until they are over anyway.
CREATE TABLE waiting_room.draw_proofs (
  event_id text NOT NULL,
  era      integer NOT NULL,
  name     text NOT NULL,
  at_ms    bigint NOT NULL,
  PRIMARY KEY (event_id, era, name),
  FOREIGN KEY (event_id, era) REFERENCES waiting_room.draws
);
