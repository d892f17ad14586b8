-- As in 0007, but for the row that marks: with many lanes PostgreSQL expected so many rows that it went through the whole outbox,
-- an hour of published rows, in every turn. An array is looked up by its ids, whatever it expects.

-- Moves the oldest rows of each lane of these partitions from the outbox to the log, of each lane up to `rows_max` and no
-- further than the row that fills `bytes_max`, in one statement: a row is in the log if and only if it is marked published.
-- Topics take turns by this: a lane with many rows, or large ones, gets no more than another.
-- Called on the very connection that holds the partitions' advisory locks, which is why no row needs locking.
-- Returns what was appended, per topic and partition. Cost: one index range per lane, one insert and one update per row.
CREATE OR REPLACE FUNCTION urr.relay_lanes_to_log(partitions integer[], rows_max integer, bytes_max bigint)
  RETURNS TABLE (topic text, partition integer, appended integer, bytes bigint)
  LANGUAGE sql AS $$
  WITH taken AS MATERIALIZED (
    SELECT o.*
    FROM urr.bus_lanes AS lane
    CROSS JOIN LATERAL (
      SELECT *, sum(oldest.size) OVER (ORDER BY oldest.id) - oldest.size AS before FROM (
        SELECT waiting.id, waiting.topic, waiting.partition, waiting.key, waiting.envelope, waiting.headers, waiting.bytes,
          coalesce(waiting.bytes, urr.guess_bytes(waiting.envelope)) AS size
        FROM urr.outbox AS waiting
        WHERE waiting.topic = lane.topic AND waiting.partition = lane.partition AND waiting.id > lane.floor
          AND waiting.published_at IS NULL AND waiting.parked_at IS NULL
          AND NOT EXISTS (
            SELECT FROM urr.bus_held_keys AS held WHERE held.topic = waiting.topic AND held.partition = waiting.partition
              AND held.key = waiting.key AND waiting.id > held.after_id)
        ORDER BY waiting.id
        LIMIT rows_max
      ) AS oldest
    ) AS o
    WHERE lane.partition = ANY (partitions) AND o.before < bytes_max
  ), counted AS (
    SELECT taken.topic, taken.partition, count(*)::integer AS rows, sum(taken.size)::bigint AS bytes
    FROM taken GROUP BY taken.topic, taken.partition
  ), heads AS (
    INSERT INTO urr.bus_heads AS head (topic, partition, next_offset)
    SELECT counted.topic, counted.partition, counted.rows FROM counted ORDER BY counted.topic, counted.partition
    ON CONFLICT (topic, partition) DO UPDATE SET next_offset = head.next_offset + excluded.next_offset
    RETURNING head.topic, head.partition, head.next_offset
  ), appended AS (
    INSERT INTO urr.bus_log (topic, partition, log_offset, key, envelope, headers, bytes)
    SELECT taken.topic, taken.partition,
      heads.next_offset - counted.rows - 1 + row_number() OVER (PARTITION BY taken.topic, taken.partition ORDER BY taken.id),
      taken.key, taken.envelope, taken.headers, coalesce(taken.bytes, octet_length(taken.envelope::text))
    FROM taken JOIN counted USING (topic, partition) JOIN heads USING (topic, partition)
  ), marked AS (
    UPDATE urr.outbox SET published_at = urr.now() WHERE id = ANY (ARRAY(SELECT taken.id FROM taken))
  ), woken AS (
    -- Consumers in other processes listen. Within one transaction equal notices are sent once.
    SELECT count(pg_notify('urr_bus_log', counted.topic)) FROM counted
  )
  SELECT counted.topic, counted.partition, counted.rows, counted.bytes FROM counted, woken
$$;
