-- Step 4 of ticketing.hold_batch (0002): what follows from its decisions, set by set. Each statement names what it expects to find; where a row
-- is not so, somebody wrote without the lock, and the whole batch is undone and run again.

CREATE FUNCTION ticketing.insist_unchanged(written bigint, expected bigint, what text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF written <> expected THEN RAISE EXCEPTION '% changed under the batch', what USING ERRCODE = 'serialization_failure'; END IF;
END $$;

-- Seats: lists in order of `nos`, as they become and as they were; those that are changed are written.
CREATE FUNCTION ticketing.write_seats(
    of_event uuid, nos integer[], states smallint[], holders uuid[], users uuid[], untils timestamptz[], fences bigint[], steps integer[],
    states_before smallint[], holders_before uuid[], fences_before bigint[], steps_before integer[], is_changed boolean[])
  RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  expected CONSTANT integer := cardinality(array_positions(is_changed, true));
  written integer;
BEGIN
  IF coalesce(expected, 0) = 0 THEN RETURN; END IF;
  UPDATE ticketing.seats AS s
  SET state = c.state, reservation_id = c.holder, user_id = c.user_id, held_until = c.until, fence = c.fence, step = c.step
  FROM unnest(nos, states, holders, users, untils, fences, steps, states_before, holders_before, fences_before, steps_before, is_changed)
    AS c (no, state, holder, user_id, until, fence, step, state_before, holder_before, fence_before, step_before, is_changed)
  WHERE c.is_changed AND s.event_id = of_event AND s.seat_no = c.no AND s.state = c.state_before
    AND s.reservation_id IS NOT DISTINCT FROM c.holder_before AND s.fence = c.fence_before AND s.step = c.step_before;
  GET DIAGNOSTICS written = ROW_COUNT;
  PERFORM ticketing.insist_unchanged(written, expected, 'a seat');
END $$;

-- Shards: `changes` is by how much what is left of each ticket type changes; the locked shards of one type stand together.
CREATE FUNCTION ticketing.write_places(
    type_ids uuid[], changes integer[], are_all boolean[], shard_types integer[], shard_nos smallint[], places_before integer[])
  RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  first integer;
  last integer;
  places_after integer[];
  written integer;
BEGIN
  FOR t IN 1 .. cardinality(type_ids) LOOP
    CONTINUE WHEN changes[t] = 0;
    first := array_position(shard_types, t);
    last := first + cardinality(array_positions(shard_types, t)) - 1;
    places_after := ticketing.spread_places(places_before[first:last], changes[t], are_all[t]);
    UPDATE ticketing.shards AS s SET places_left = c.places
    FROM unnest(shard_nos[first:last], places_before[first:last], places_after) AS c (no, before, places)
    WHERE s.ticket_type_id = type_ids[t] AND s.shard_no = c.no AND s.places_left = c.before;
    GET DIAGNOSTICS written = ROW_COUNT;
    PERFORM ticketing.insist_unchanged(written, last - first + 1, 'a shard');
  END LOOP;
END $$;

CREATE FUNCTION ticketing.write_buyers(of_event uuid, buyers uuid[], lives integer[], lives_before integer[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  changed CONSTANT uuid[] := ARRAY(SELECT id FROM unnest(buyers, lives, lives_before) AS c (id, live, before) WHERE live <> before);
  written integer;
BEGIN
  -- By the keys of the rows, and not by a join: the table may have been empty when this was planned.
  UPDATE ticketing.buyers AS b SET live = lives[width_bucket(b.user_id, buyers)]
  WHERE b.event_id = of_event AND b.user_id = ANY (changed) AND b.live = lives_before[width_bucket(b.user_id, buyers)];
  GET DIAGNOSTICS written = ROW_COUNT;
  PERFORM ticketing.insist_unchanged(written, cardinality(changed), 'a buyer');
END $$;

-- Holds that end with the batch: lapsed ones of its buyers (`acts`: expired) and replaced ones (released). Null in `acts`: it stays.
CREATE FUNCTION ticketing.write_ended_holds(
    of_event uuid, at timestamptz, topic_partitions integer, seller_id uuid,
    ids uuid[], users uuid[], numbers text[], acts text[], versions integer[],
    freed_owns integer[], freed_nos integer[], freed_fences bigint[], freed_steps integer[],
    item_owns integer[], item_ids uuid[], item_counts integer[])
  RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  ended CONSTANT uuid[] := ARRAY(SELECT id FROM unnest(ids, acts) AS c (id, act) WHERE act IS NOT NULL ORDER BY id);
  written integer;
BEGIN
  UPDATE ticketing.reservations AS r SET status = acts[array_position(ids, r.id)], version = r.version + 1
  WHERE r.id = ANY (ended) AND r.status = 'pending' AND r.version = versions[array_position(ids, r.id)];
  GET DIAGNOSTICS written = ROW_COUNT;
  PERFORM ticketing.insist_unchanged(written, cardinality(ended), 'a reservation');

  INSERT INTO ticketing.ledger (at, event_id, act, reservation_id, reservation_version, reservation_status, user_id,
    seat_nos, seat_fences, seat_steps, seat_state, ticket_type_ids, left_changes)
  SELECT write_ended_holds.at, of_event, c.act, c.id, c.version + 1, c.act, c.user_id,
    seats.nos, seats.fences, seats.steps, CASE WHEN seats.nos IS NOT NULL THEN 0 END, items.ids, items.counts
  FROM unnest(ids, users, acts, versions) WITH ORDINALITY AS c (id, user_id, act, version, o)
  CROSS JOIN LATERAL (
    SELECT array_agg(no) AS nos, array_agg(fence) AS fences, array_agg(step) AS steps
    FROM unnest(freed_owns, freed_nos, freed_fences, freed_steps) AS freed (o, no, fence, step) WHERE freed.o = c.o) AS seats
  CROSS JOIN LATERAL (
    SELECT array_agg(id) AS ids, array_agg(places) AS counts
    FROM unnest(item_owns, item_ids, item_counts) AS item (o, id, places) WHERE item.o = c.o) AS items
  WHERE c.act IS NOT NULL ORDER BY c.id;

  PERFORM urr.append_event('reservation-events', topic_partitions, c.id::text, 'RESERVATION_EXPIRED', 1, json_build_object(
    'reservationId', c.id, 'reservationNumber', c.number, 'eventId', of_event, 'userId', c.user_id, 'sellerId', seller_id,
    'released', c.act = 'released', 'expiredAt', urr.iso_time(write_ended_holds.at)), write_ended_holds.at)
  FROM unnest(ids, users, numbers, acts) AS c (id, user_id, number, act) WHERE c.act IS NOT NULL;
END $$;

-- By what the ledger knows which seats and places were granted, and at which prices, without a second copy of them: it is written once and
-- never changed, so lines that were changed later no longer fit it. Not md5, which some installations of PostgreSQL refuse.
CREATE FUNCTION ticketing.lines_fingerprint(lines jsonb) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT left(encode(sha256(convert_to(lines::text, 'UTF8')), 'hex'), 32)
$$;

-- Reservations, ledger and outbox of what was granted. `…_firsts` and `…_lasts`: where the parts of each request are in the lists.
CREATE FUNCTION ticketing.write_grants(
    of_event uuid, at timestamptz, topic_partitions integer, verdicts text[], user_ids uuid[], reservation_ids uuid[], numbers text[],
    slot_ids text[], ticket_counts integer[], fees_krw integer[], totals_krw integer[], items_lines text[], ends_at timestamptz[],
    sinces timestamptz[], fences double precision[], seat_firsts integer[], seat_lasts integer[], item_firsts integer[], item_lasts integer[],
    seat_nos integer[], seat_lines text[], seat_fences double precision[], item_types uuid[], item_quantities integer[])
  RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  -- The seats of each as JSON: as they are told, and with their fences.
  told text[] := array_fill(''::text, ARRAY[cardinality(verdicts)]);
  kept text[] := told;
  comma text;
  list text := '';
  at_text CONSTANT text := urr.iso_time(at);
BEGIN
  FOR n IN 1 .. cardinality(verdicts) LOOP
    CONTINUE WHEN verdicts[n] <> 'granted';
    comma := '';
    FOR s IN seat_firsts[n] .. seat_lasts[n] LOOP
      told[n] := told[n] || comma || seat_lines[s];
      kept[n] := kept[n] || comma || left(seat_lines[s], -1) || ',"fence":' || seat_fences[s] || '}';
      comma := ',';
    END LOOP;
    list := list || CASE WHEN list = '' THEN '' ELSE ',' END || '{"reservationId":"' || reservation_ids[n] || '","userId":"' || user_ids[n]
      || '","seats":[' || told[n] || '],"items":' || items_lines[n] || ',"feeKrw":' || fees_krw[n] || ',"totalKrw":' || totals_krw[n]
      || ',"createdAt":"' || at_text || '","expiresAt":"' || urr.iso_time(ends_at[n]) || '"}';
  END LOOP;

  WITH granted AS MATERIALIZED (
    SELECT r.*, ('{"seats":[' || r.kept || '],"items":' || r.items || '}')::jsonb AS lines, r.seat_last >= r.seat_first AS has_seats
    FROM unnest(verdicts, user_ids, reservation_ids, numbers, slot_ids, ticket_counts, fees_krw, totals_krw, items_lines, ends_at, fences,
        kept, seat_firsts, seat_lasts, item_firsts, item_lasts, sinces)
      AS r (verdict, user_id, id, number, slot_id, ticket_count, fee_krw, total_krw, items, ends, fence,
        kept, seat_first, seat_last, item_first, item_last, since)
    WHERE r.verdict = 'granted'
  ), made AS (
    INSERT INTO ticketing.reservations (id, number, event_id, user_id, status, payment_status, lines, seat_nos, ticket_count, fee_krw, total_krw,
      fence, slot_id, created_at, held_since, expires_at)
    SELECT r.id, r.number, of_event, r.user_id, 'pending', 'none', r.lines, write_grants.seat_nos[r.seat_first:r.seat_last], r.ticket_count,
      r.fee_krw, r.total_krw, r.fence, r.slot_id, write_grants.at, r.since, r.ends
    FROM granted AS r
  )
  INSERT INTO ticketing.ledger (at, event_id, act, reservation_id, reservation_version, reservation_status, user_id,
    seat_nos, seat_fences, seat_steps, seat_state, held_until, ticket_type_ids, left_changes, cause)
  SELECT write_grants.at, of_event, 'held', r.id, 1, 'pending', r.user_id,
    CASE WHEN has_seats THEN write_grants.seat_nos[r.seat_first:r.seat_last] END,
    CASE WHEN has_seats THEN write_grants.seat_fences[r.seat_first:r.seat_last]::bigint[] END,
    CASE WHEN has_seats THEN array_fill(0, ARRAY[r.seat_last - r.seat_first + 1]) END, CASE WHEN has_seats THEN 1 END, r.ends,
    CASE WHEN NOT has_seats THEN item_types[r.item_first:r.item_last] END,
    CASE WHEN NOT has_seats THEN ARRAY(SELECT -quantity FROM unnest(item_quantities[r.item_first:r.item_last]) AS quantity) END,
    jsonb_build_object('lines', ticketing.lines_fingerprint(r.lines))
  FROM granted AS r;

  PERFORM urr.append_event('reservation-holds', topic_partitions, of_event::text, 'RESERVATIONS_CREATED', 1,
    ('{"eventId":"' || of_event || '","reservations":[' || list || ']}')::json, at);
END $$;
