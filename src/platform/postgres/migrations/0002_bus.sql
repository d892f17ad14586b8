-- The event bus: outbox and inbox for both adapters, and the log of the embedded one. See src/platform/bus/README.md.

-- Events on their way to the broker, written in the transaction that caused them.
CREATE TABLE urr.outbox (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  topic         text NOT NULL,
  partition     integer NOT NULL,
  key           text NOT NULL,
  event_id      uuid NOT NULL,
  type          text NOT NULL,
  -- json, not jsonb: it is passed on as it was written, never looked into.
  envelope      json NOT NULL,
  headers       json,
  created_at    timestamptz NOT NULL DEFAULT urr.now(),
  published_at  timestamptz
) WITH (
  -- Every row is inserted, marked and deleted within the hour: the default of a fifth of the table is too late.
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_insert_scale_factor = 0.1
);
-- What is left to relay. A published row leaves this index, so it stays as small as the backlog.
CREATE INDEX outbox_unpublished ON urr.outbox (partition, id) WHERE published_at IS NULL;

-- Which events a consumer group has had its effect of. Written in the transaction of the effect.
CREATE TABLE urr.inbox (
  consumer_group  text NOT NULL,
  topic           text NOT NULL,
  event_id        uuid NOT NULL,
  processed_at    timestamptz NOT NULL DEFAULT urr.now(),
  -- Ids are UUIDv7, so new rows of a group land next to one another.
  PRIMARY KEY (consumer_group, topic, event_id)
);

-- The embedded broker. Only the relay that holds a partition's advisory lock appends to it, so offsets have no gaps
-- and become visible in order: a reader that has seen offset n has seen everything before it.
CREATE TABLE urr.bus_log (
  topic        text NOT NULL,
  partition    integer NOT NULL,
  log_offset   bigint NOT NULL,
  key          text NOT NULL,
  envelope     json NOT NULL,
  headers      json,
  appended_at  timestamptz NOT NULL DEFAULT urr.now(),
  PRIMARY KEY (topic, partition, log_offset)
);

CREATE TABLE urr.bus_heads (
  topic        text NOT NULL,
  partition    integer NOT NULL,
  next_offset  bigint NOT NULL,
  PRIMARY KEY (topic, partition)
) WITH (fillfactor = 50);

-- How far each consumer group has come.
CREATE TABLE urr.bus_offsets (
  consumer_group  text NOT NULL,
  topic           text NOT NULL,
  partition       integer NOT NULL,
  next_offset     bigint NOT NULL,
  PRIMARY KEY (consumer_group, topic, partition)
) WITH (fillfactor = 50);

-- Moves up to `batch_max` unpublished rows of each of these partitions from the outbox to the log, in one statement:
-- a row is in the log if and only if it is marked published.
-- Called on the very connection that holds the partitions' advisory locks, which is why no row needs locking.
-- Returns what was appended, per topic and partition. Cost: one index range per partition, one insert and one update per row.
CREATE FUNCTION urr.relay_to_log(partitions integer[], batch_max integer)
  RETURNS TABLE (topic text, partition integer, appended integer)
  LANGUAGE sql AS $$
  WITH taken AS MATERIALIZED (
    SELECT o.*
    FROM unnest(partitions) AS wanted (partition)
    CROSS JOIN LATERAL (
      SELECT id, topic, partition, key, envelope, headers
      FROM urr.outbox
      WHERE outbox.partition = wanted.partition AND published_at IS NULL
      ORDER BY id
      LIMIT batch_max
    ) AS o
  ), counted AS (
    SELECT topic, partition, count(*)::integer AS rows FROM taken GROUP BY topic, partition
  ), heads AS (
    INSERT INTO urr.bus_heads AS head (topic, partition, next_offset)
    SELECT topic, partition, rows FROM counted ORDER BY topic, partition
    ON CONFLICT (topic, partition) DO UPDATE SET next_offset = head.next_offset + excluded.next_offset
    RETURNING head.topic, head.partition, head.next_offset
  ), appended AS (
    INSERT INTO urr.bus_log (topic, partition, log_offset, key, envelope, headers)
    SELECT taken.topic, taken.partition,
      heads.next_offset - counted.rows - 1 + row_number() OVER (PARTITION BY taken.topic, taken.partition ORDER BY taken.id),
      taken.key, taken.envelope, taken.headers
    FROM taken JOIN counted USING (topic, partition) JOIN heads USING (topic, partition)
  ), marked AS (
    UPDATE urr.outbox SET published_at = urr.now() WHERE id IN (SELECT id FROM taken)
  ), woken AS (
    -- Consumers in other processes listen. Within one transaction equal notices are sent once.
    SELECT count(pg_notify('urr_bus_log', topic)) FROM counted
  )
  SELECT counted.topic, counted.partition, counted.rows FROM counted, woken
$$;
