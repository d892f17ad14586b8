-- Messages that a consumer group could not handle. See src/platform/bus/README.md, "Letters".

CREATE TABLE urr.bus_letters (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  consumer_group  text NOT NULL,
  topic           text NOT NULL,
  -- The topic that has a copy for people and tools.
  dead_letter     text NOT NULL,
  on_poison       text NOT NULL CHECK (on_poison IN ('pass', 'park-key')),
  partition       integer NOT NULL,
  log_offset      bigint NOT NULL,
  key             text NOT NULL,
  -- What the message is known by when it is delivered again: its event id and its bytes, or where it stood if it has no id.
  identity        text NOT NULL,
  -- NULL for what is no envelope.
  event_id        uuid,
  type            text,
  -- Bytes, because what a broker hands over need not be JSON, nor UTF-8.
  value           bytea NOT NULL,
  headers         json NOT NULL,
  -- Waits behind an earlier letter of its key; it has not been tried itself.
  behind          boolean NOT NULL,
  -- Calls of the handler that failed.
  attempts        integer NOT NULL,
  -- Tries since it became a letter.
  round           integer NOT NULL DEFAULT 0,
  reason          text NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT urr.now(),
  failed_at       timestamptz,
  -- When it is tried next. NULL: it waits behind another, or for a person.
  due_at          timestamptz,
  CHECK (NOT behind OR due_at IS NULL),
  UNIQUE (consumer_group, topic, identity)
);
CREATE INDEX bus_letters_due ON urr.bus_letters (consumer_group, topic, due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX bus_letters_behind ON urr.bus_letters (consumer_group, topic, key, id) WHERE behind;
CREATE INDEX bus_letters_failed ON urr.bus_letters (consumer_group, topic, key, id) WHERE NOT behind;
CREATE INDEX bus_letters_dead_letter ON urr.bus_letters (dead_letter, id) WHERE NOT behind;

-- A copy of a letter is sent as the bytes that came; `envelope` is then JSON null.
ALTER TABLE urr.outbox ADD COLUMN raw bytea;

-- Looks at up to `keys_max` keys with letters behind, from `from_key` on, for those whose failed letters are all gone.
-- Returns them, and the key to go on from; NULL after the last one. Cost: two index probes for each key.
CREATE FUNCTION urr.bus_freed_keys(wanted_group text, wanted_topic text, from_key text, keys_max integer)
  RETURNS TABLE (next_key text, freed text[])
  LANGUAGE sql STABLE AS $$
  WITH RECURSIVE parked AS (
    (SELECT min(key) AS key, 1 AS place FROM urr.bus_letters
     WHERE consumer_group = wanted_group AND topic = wanted_topic AND behind AND key >= from_key)
    UNION ALL
    SELECT (SELECT min(key) FROM urr.bus_letters
            WHERE consumer_group = wanted_group AND topic = wanted_topic AND behind AND key > parked.key), parked.place + 1
    FROM parked WHERE parked.key IS NOT NULL AND parked.place <= keys_max
  ), looked AS (
    SELECT parked.key, parked.place, EXISTS (
      SELECT FROM urr.bus_letters AS failed
      WHERE failed.consumer_group = wanted_group AND failed.topic = wanted_topic AND failed.key = parked.key AND NOT behind
    ) AS waits
    FROM parked WHERE parked.key IS NOT NULL
  )
  SELECT max(key) FILTER (WHERE place > keys_max), coalesce(array_agg(key) FILTER (WHERE NOT waits), '{}') FROM looked
$$;

-- The letters of a group that can be tried now, up to `letters_max` and no further than the one that fills `bytes_max`:
-- those that are due, and of these keys those behind letters that are gone, each key in order.
-- Cost: one index range for the due ones, two more for each of the keys. How many keys are parked does not matter.
CREATE FUNCTION urr.bus_letters_to_try(
    wanted_group text, wanted_topic text, keys text[], letters_max integer, bytes_max bigint)
  RETURNS SETOF urr.bus_letters
  LANGUAGE sql STABLE AS $$
  WITH freed AS (
    SELECT wanted.key FROM unnest(keys) AS wanted (key)
    WHERE NOT EXISTS (
      SELECT FROM urr.bus_letters AS failed
      WHERE failed.consumer_group = wanted_group AND failed.topic = wanted_topic AND failed.key = wanted.key AND NOT behind)
  ), found AS (
    (SELECT id, octet_length(value) AS bytes FROM urr.bus_letters
     WHERE consumer_group = wanted_group AND topic = wanted_topic AND due_at <= urr.now()
     ORDER BY due_at, id LIMIT letters_max)
    UNION ALL
    (SELECT waiting.id, waiting.bytes FROM freed CROSS JOIN LATERAL (
       SELECT id, octet_length(value) AS bytes FROM urr.bus_letters
       WHERE consumer_group = wanted_group AND topic = wanted_topic AND key = freed.key AND behind
       ORDER BY id LIMIT letters_max) AS waiting
     LIMIT letters_max)
  ), counted AS (
    SELECT id, row_number() OVER (ORDER BY id) AS place, sum(bytes) OVER (ORDER BY id) - bytes AS bytes_before FROM found
  )
  SELECT letter.* FROM counted JOIN urr.bus_letters AS letter USING (id)
  WHERE place <= letters_max AND bytes_before < bytes_max
  ORDER BY letter.partition, letter.id
$$;
