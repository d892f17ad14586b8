-- Standing and general admission: what is left of a ticket type is counted in shards, so that many can take at the same time.
-- Several ticket types are locked in the order of their ids, and after the seats (see 0001).

-- (Re)makes the shards of a ticket type of which nothing is held or sold. One for each 64 places, 16 at most.
-- Locks: whatever shards there are. Cost: one delete, one insert.
CREATE FUNCTION ticketing.make_shards(of_type uuid, capacity integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  shards CONSTANT integer := least(16, greatest(1, capacity / 64));
BEGIN
  DELETE FROM ticketing.shards WHERE ticket_type_id = of_type;
  INSERT INTO ticketing.shards (ticket_type_id, shard_no, places_left)
  SELECT of_type, no, capacity / shards + (no < capacity % shards)::integer FROM generate_series(0, shards - 1) AS no;
END $$;

-- Places come back: to any shard that nobody else has in hand, else to the first one.
-- Locks: one shard. Cost: one sort of at most 16 rows, one update.
CREATE FUNCTION ticketing.give_back_places(of_type uuid, places integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  to_shard smallint;
BEGIN
  SELECT shard_no INTO to_shard FROM ticketing.shards WHERE ticket_type_id = of_type
  ORDER BY random() LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF to_shard IS NULL THEN
    SELECT min(shard_no) INTO to_shard FROM ticketing.shards WHERE ticket_type_id = of_type;
  END IF;
  UPDATE ticketing.shards SET places_left = places_left + places WHERE ticket_type_id = of_type AND shard_no = to_shard;
  IF NOT FOUND THEN RAISE EXCEPTION 'ticket type % has no shards', of_type; END IF;
END $$;

-- Locks shards of one ticket type with `wanted` places or more: a random one that nobody else has in hand, and where none has as
-- many, all of them in order. Then the caller knows the whole sum. `skip_locked`: those that are locked are left out.
-- Returns the shards, and whether these are all that there are. Cost: one or two sorts of at most 16 rows.
CREATE FUNCTION ticketing.lock_shards(
    of_type uuid, wanted integer, skip_locked boolean, OUT shard_nos smallint[], OUT places integer[], OUT are_all boolean)
  LANGUAGE plpgsql AS $$
BEGIN
  SELECT ARRAY[shard_no], ARRAY[places_left] INTO shard_nos, places FROM ticketing.shards
  WHERE ticket_type_id = of_type AND places_left >= wanted
  ORDER BY random() LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF FOUND THEN
    are_all := false;
  ELSIF skip_locked THEN
    SELECT array_agg(shard_no), array_agg(places_left) INTO shard_nos, places FROM (
      SELECT shard_no, places_left FROM ticketing.shards WHERE ticket_type_id = of_type
      ORDER BY shard_no FOR UPDATE SKIP LOCKED) AS shard;
    SELECT count(*) = coalesce(cardinality(shard_nos), 0) INTO are_all FROM ticketing.shards WHERE ticket_type_id = of_type;
  ELSE
    SELECT array_agg(shard_no), array_agg(places_left) INTO shard_nos, places FROM (
      SELECT shard_no, places_left FROM ticketing.shards WHERE ticket_type_id = of_type
      ORDER BY shard_no FOR UPDATE) AS shard;
    are_all := true;
  END IF;
END $$;

-- What the places of locked shards become when their sum changes by `change`. `are_all`: these are all shards of the type; a small
-- rest is then put together in the first one, where a party still finds it in one place. Else what goes out is taken from
-- one after the other, and what comes in goes to the first.
CREATE FUNCTION ticketing.spread_places(places integer[], change integer, are_all boolean) RETURNS integer[]
  LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  left_over CONSTANT integer := (SELECT sum(place) FROM unnest(places) AS place) + change;
  change_left integer := change;
  taken integer;
BEGIN
  IF left_over < 0 THEN RAISE EXCEPTION 'more places were given than there are'; END IF;
  IF are_all AND left_over < 64 THEN
    RETURN array_prepend(left_over, array_fill(0, ARRAY[cardinality(places) - 1]));
  END IF;
  IF change > 0 THEN
    places[1] := places[1] + change;
    RETURN places;
  END IF;
  FOR shard IN 1 .. cardinality(places) LOOP
    taken := least(places[shard], -change_left);
    places[shard] := places[shard] - taken;
    change_left := change_left + taken;
  END LOOP;
  RETURN places;
END $$;
