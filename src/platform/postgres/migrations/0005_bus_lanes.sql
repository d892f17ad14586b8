-- Lanes: what the relay moves is one topic's one partition, so that a topic which cannot be sent to holds up no other.
-- See docs/adr/0034-relay-lanes.md.

ALTER TABLE urr.outbox
  -- How long it is; NULL for what an earlier version of the program has written: a generated column would rewrite the table.
  -- Asking the envelope itself would read a large one from its side table for every look.
  ADD COLUMN bytes integer,
  -- Set aside: the broker refuses this row for good (`parked_reason` says why), or it waits behind such a row of its
  -- key (`parked_reason` is null). A person releases or drops the refused one; those behind it then go on by themselves.
  ADD COLUMN parked_at timestamptz,
  ADD COLUMN parked_reason text;

-- The index outbox_unpublished and the function relay_to_log stay as they are, for processes of an earlier version that run
-- beside this one or come back after it. A later migration drops both.
-- What is left to relay, lane by lane. A published or parked row leaves this index.
CREATE INDEX outbox_lanes ON urr.outbox (topic, partition, id) WHERE published_at IS NULL AND parked_at IS NULL;
CREATE INDEX outbox_parked ON urr.outbox (topic, partition, key, id) WHERE parked_at IS NOT NULL;

-- One row for each topic and partition that ever had a row in the outbox.
CREATE TABLE urr.bus_lanes (
  topic      text NOT NULL,
  partition  integer NOT NULL,
  -- No row of this lane with this id or a lower one is left to relay, and none can appear: see urr.raise_lane_floors.
  floor      bigint NOT NULL DEFAULT 0,
  -- Grows whenever `floor` is lowered, so that a look that began before does not raise it again.
  version    bigint NOT NULL DEFAULT 0,
  -- Kafka's id of the topic when it was last sent to. Another id means that the topic was deleted and made again.
  topic_id   text,
  PRIMARY KEY (topic, partition)
) WITH (fillfactor = 50);

-- Keys of which a row is refused, and keys whose rows behind such a row are being let go: few, and so quick to look up.
CREATE TABLE urr.bus_held_keys (
  topic      text NOT NULL,
  partition  integer NOT NULL,
  key        text NOT NULL,
  -- Rows of this key with a higher id wait.
  after_id   bigint NOT NULL,
  -- The first row that is refused. NULL: it was released or dropped, and the rows behind it go on in pieces.
  refused_id bigint,
  PRIMARY KEY (topic, partition, key)
);
CREATE INDEX bus_held_keys_going ON urr.bus_held_keys (partition) WHERE refused_id IS NULL;

-- Adds lanes that have rows and are not known yet; at most one between each two known ones, so it is called until it
-- finds none. Looks only at the gaps between known lanes: what is in the index for those is passed over unread.
-- Returns what was added. Cost: one index descent per known lane.
CREATE FUNCTION urr.find_lanes() RETURNS TABLE (topic text, partition integer) LANGUAGE sql AS $$
  WITH known AS (
    SELECT bound.topic, bound.partition,
      lead(bound.topic) OVER places AS next_topic, lead(bound.partition) OVER places AS next_partition
    FROM (SELECT lane.topic, lane.partition FROM urr.bus_lanes AS lane UNION ALL SELECT '', -1) AS bound
    WINDOW places AS (ORDER BY bound.topic, bound.partition)
  ), found AS (
    SELECT gap.topic, gap.partition FROM known CROSS JOIN LATERAL (
      SELECT o.topic, o.partition FROM urr.outbox AS o
      WHERE o.published_at IS NULL AND o.parked_at IS NULL
        AND (o.topic, o.partition) > (known.topic, known.partition)
        AND (o.topic, o.partition) < (known.next_topic, known.next_partition)
      ORDER BY o.topic, o.partition, o.id LIMIT 1) AS gap
    WHERE known.next_topic IS NOT NULL
    UNION ALL
    SELECT gap.topic, gap.partition FROM known CROSS JOIN LATERAL (
      SELECT o.topic, o.partition FROM urr.outbox AS o
      WHERE o.published_at IS NULL AND o.parked_at IS NULL
        AND (o.topic, o.partition) > (known.topic, known.partition)
      ORDER BY o.topic, o.partition, o.id LIMIT 1) AS gap
    WHERE known.next_topic IS NULL
  )
  INSERT INTO urr.bus_lanes AS lane (topic, partition) SELECT found.topic, found.partition FROM found
  ON CONFLICT DO NOTHING RETURNING lane.topic, lane.partition
$$;

-- The last id that was drawn for a row of the outbox, committed or not.
CREATE FUNCTION urr.last_outbox_id() RETURNS bigint LANGUAGE sql AS $$
  SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM urr.outbox_id_seq
$$;

-- Which session this is. No other has or had this name, also after a crash of the server.
CREATE FUNCTION urr.session_name() RETURNS text LANGUAGE sql AS $$
  SELECT pid || ' ' || extract(epoch FROM backend_start) FROM pg_stat_get_activity(pg_backend_pid())
$$;

-- Raises the floors of these lanes. Without a floor every look would pass over the index entries of all rows published
-- since the oldest open transaction of the database began, because nothing may remove them until that one ends.
-- `settled`: every transaction that drew an outbox id up to this one has ended. The caller makes sure; a lower id could else
-- become visible below the floor. `looked_in`: the session in which the caller read that. After a crash the sequence may be
-- behind what was read before it, so then nothing is raised, and never above what the sequence has drawn. Says whether this
-- was that session.
-- Cost: each lane's entries between its old floor and its oldest row left to relay.
CREATE FUNCTION urr.raise_lane_floors(topics text[], partitions integer[], settled bigint, looked_in text)
  RETURNS boolean LANGUAGE sql AS $$
  WITH bound AS MATERIALIZED (
    SELECT least(settled, urr.last_outbox_id()) AS id WHERE looked_in = urr.session_name()
  ), raised AS (
    UPDATE urr.bus_lanes AS lane SET floor = looked.floor
    FROM (
      SELECT known.topic, known.partition, known.version, coalesce((
          SELECT o.id - 1 FROM urr.outbox AS o
          WHERE o.topic = known.topic AND o.partition = known.partition AND o.published_at IS NULL AND o.parked_at IS NULL
            AND o.id > known.floor AND o.id <= bound.id
          ORDER BY o.id LIMIT 1), bound.id) AS floor
      FROM bound CROSS JOIN unnest(topics, partitions) AS wanted (topic, partition)
      JOIN urr.bus_lanes AS known USING (topic, partition)
    ) AS looked
    WHERE lane.topic = looked.topic AND lane.partition = looked.partition
      AND lane.version = looked.version AND lane.floor < looked.floor
  )
  SELECT EXISTS (SELECT FROM bound)
$$;

-- A floor above all ids that were drawn: the sequence was set back (a restore, TRUNCATE … RESTART IDENTITY), and new rows
-- would be below it. Returns the lanes whose floor was lowered, with what it was. Cost: a look at each lane.
CREATE FUNCTION urr.lower_lost_floors() RETURNS TABLE (topic text, partition integer, floor bigint) LANGUAGE sql AS $$
  WITH lost AS MATERIALIZED (
    SELECT lane.topic, lane.partition, lane.floor FROM urr.bus_lanes AS lane WHERE lane.floor > (SELECT urr.last_outbox_id())
  )
  UPDATE urr.bus_lanes AS lane SET floor = 0, version = lane.version + 1 FROM lost
  WHERE lane.topic = lost.topic AND lane.partition = lost.partition AND lane.floor = lost.floor
  RETURNING lost.topic, lost.partition, lost.floor
$$;

-- The broker refuses this row for good. Waits for nobody but `release_outbox_row` and its like on the same lane.
CREATE FUNCTION urr.park_outbox_row(row_id bigint, reason text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM urr.bus_lanes JOIN urr.outbox USING (topic, partition) WHERE outbox.id = row_id FOR UPDATE OF bus_lanes;
  WITH parked AS (
    UPDATE urr.outbox SET parked_at = urr.now(), parked_reason = reason WHERE id = row_id AND published_at IS NULL
    RETURNING topic, partition, key
  )
  INSERT INTO urr.bus_held_keys AS held (topic, partition, key, after_id, refused_id)
  SELECT parked.topic, parked.partition, parked.key, row_id - 1, row_id FROM parked
  ON CONFLICT (topic, partition, key) DO UPDATE
  SET after_id = least(held.after_id, excluded.after_id), refused_id = least(held.refused_id, excluded.refused_id);
END $$;

-- Sets those of these rows aside whose key is held. The lane is locked first, so that a key which is released at
-- this moment is seen either before or after: a row must not wait behind one that is gone.
CREATE FUNCTION urr.park_outbox_rows_behind(row_ids bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM urr.bus_lanes WHERE (topic, partition) IN (SELECT topic, partition FROM urr.outbox WHERE id = ANY (row_ids))
    ORDER BY topic, partition FOR UPDATE;
  UPDATE urr.outbox AS o SET parked_at = urr.now() FROM urr.bus_held_keys AS held
  WHERE o.id = ANY (row_ids) AND o.published_at IS NULL AND o.parked_at IS NULL
    AND held.topic = o.topic AND held.partition = o.partition AND held.key = o.key AND o.id > held.after_id;
END $$;

-- Lets the next `rows_max` rows go that wait behind a row which is no longer refused, oldest first. The key stays held for
-- later rows until the last is back, so none can overtake. Says whether there may be more. Its caller has locked the lane.
CREATE FUNCTION urr.let_rows_behind_go(of_topic text, of_partition integer, of_key text, rows_max integer)
  RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  held urr.bus_held_keys;
  ids bigint[];
  refused bigint;
  is_full boolean;
BEGIN
  SELECT * INTO held FROM urr.bus_held_keys AS h
  WHERE h.topic = of_topic AND h.partition = of_partition AND h.key = of_key AND h.refused_id IS NULL FOR UPDATE;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  SELECT array_agg(piece.id ORDER BY piece.id), min(piece.id) FILTER (WHERE piece.parked_reason IS NOT NULL), count(*) = rows_max
  INTO ids, refused, is_full FROM (
    SELECT o.id, o.parked_reason FROM urr.outbox AS o
    WHERE o.topic = of_topic AND o.partition = of_partition AND o.key = of_key AND o.parked_at IS NOT NULL AND o.id > held.after_id
    ORDER BY o.id LIMIT rows_max) AS piece;
  UPDATE urr.outbox AS o SET parked_at = NULL WHERE o.id = ANY (ids) AND (refused IS NULL OR o.id < refused);
  UPDATE urr.bus_lanes AS lane SET floor = least(lane.floor, held.after_id), version = lane.version + 1
  WHERE lane.topic = of_topic AND lane.partition = of_partition;
  IF refused IS NOT NULL OR is_full THEN
    UPDATE urr.bus_held_keys AS h SET after_id = coalesce(refused - 1, ids[rows_max]), refused_id = refused
    WHERE h.topic = of_topic AND h.partition = of_partition AND h.key = of_key;
  ELSE
    DELETE FROM urr.bus_held_keys AS h WHERE h.topic = of_topic AND h.partition = of_partition AND h.key = of_key;
  END IF;
  RETURN refused IS NULL AND is_full;
END $$;

-- The same for one key of these partitions, if there is one. Says whether there may be more, of it or of another.
CREATE FUNCTION urr.let_rows_behind_go(of_partitions integer[], rows_max integer) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  going urr.bus_held_keys;
BEGIN
  SELECT * INTO going FROM urr.bus_held_keys AS h WHERE h.refused_id IS NULL AND h.partition = ANY (of_partitions) LIMIT 1;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  PERFORM 1 FROM urr.bus_lanes AS lane WHERE lane.topic = going.topic AND lane.partition = going.partition FOR UPDATE;
  PERFORM urr.let_rows_behind_go(going.topic, going.partition, going.key, rows_max);
  RETURN EXISTS (SELECT FROM urr.bus_held_keys AS h WHERE h.refused_id IS NULL AND h.partition = ANY (of_partitions));
END $$;

-- Lets a refused row be tried again, or drops it, and lets the first `rows_max` go of it and the rows behind it; relays let
-- the rest go. Returns the row, none if it is not parked. When an earlier row of its key is refused, too, it waits for that.
CREATE FUNCTION urr.release_outbox_row(row_id bigint, give_up boolean, rows_max integer)
  RETURNS TABLE (topic text, partition integer, key text, envelope json) LANGUAGE plpgsql AS $$
DECLARE
  parked urr.outbox;
BEGIN
  PERFORM 1 FROM urr.bus_lanes AS lane JOIN urr.outbox AS o USING (topic, partition) WHERE o.id = row_id FOR UPDATE OF lane;
  SELECT o.* INTO parked FROM urr.outbox AS o WHERE o.id = row_id AND o.parked_reason IS NOT NULL FOR UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  IF give_up THEN
    DELETE FROM urr.outbox AS o WHERE o.id = row_id;
  ELSE
    UPDATE urr.outbox AS o SET parked_reason = NULL WHERE o.id = row_id;
  END IF;
  INSERT INTO urr.bus_held_keys AS held (topic, partition, key, after_id)
  VALUES (parked.topic, parked.partition, parked.key, row_id - 1)
  ON CONFLICT ON CONSTRAINT bus_held_keys_pkey DO UPDATE SET refused_id = nullif(held.refused_id, row_id);
  PERFORM urr.let_rows_behind_go(parked.topic, parked.partition, parked.key, rows_max);
  RETURN QUERY SELECT parked.topic, parked.partition, parked.key, parked.envelope;
END $$;

-- The topic was deleted and made again: what the outbox still has of this lane is to be sent once more. Looks at `rows_max`
-- rows with ids above `after`; called until it returns null, with the lane at rest. Returns where to go on.
CREATE FUNCTION urr.unpublish_lane(of_topic text, of_partition integer, after bigint, rows_max integer)
  RETURNS bigint LANGUAGE sql AS $$
  WITH piece AS MATERIALIZED (
    SELECT o.id, o.topic, o.partition FROM urr.outbox AS o WHERE o.id > after ORDER BY o.id LIMIT rows_max
  ), unpublished AS (
    UPDATE urr.outbox AS o SET published_at = NULL FROM piece
    WHERE o.id = piece.id AND piece.topic = of_topic AND piece.partition = of_partition AND o.published_at IS NOT NULL
  ), lowered AS (
    UPDATE urr.bus_lanes AS lane SET floor = 0, version = lane.version + 1
    WHERE lane.topic = of_topic AND lane.partition = of_partition AND lane.floor > 0
  )
  SELECT max(piece.id) FROM piece
$$;
