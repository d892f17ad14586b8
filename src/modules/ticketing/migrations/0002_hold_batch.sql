-- Holds: requests of one event that arrive together are decided together, by one call, which is one transaction. A client that
-- freezes holds no lock, and a lock, a log record and a commit are paid for once for up to 64 of them.

-- Decides up to 64 requests of one event in the order of the lists, each as if it had come alone after those before it, and writes
-- what follows: seats, shards, reservations, buyers, ledger, outbox and idempotency keys.
--
-- 1. Without a lock: a key that is known gets its stored answer; while the sale is not open, nothing else is done; and who
--    wants what is visibly taken by somebody else, or more than is visibly left, is refused. In a rush that is nearly everybody.
-- 2. The locks, in the order of 0001: keys (advisory), buyers, the buyers' own live reservations, seats, shards. Then, once, the time.
-- 3. The decision, in memory (`states`, `lives`, `type_left` … are what the rows become). A buyer's own lapsed holds are expired first.
-- 4. The writes, set by set. Each names what it expects to find: owner, state, fence, step. If a row is not found so, somebody wrote
--    without the lock, and all is undone.
--
-- Lists with one place for each request: `user_ids` … `fingerprints`; for each wanted seat, request by request: `seat_…`; for each
-- wanted ticket type: `item_…`. `…_requests` counts from 1. Null in `replaced_ids`: nothing is replaced. `tiers_open_at`: from when on
-- this buyer may buy. `lock_names`: as src/platform/idempotency.ts names a key. `seat_lines`, `items_lines`: JSON of the
-- reservation's lines, without the fence. `skip_locked`: rows that somebody else has locked are not waited for.
--
-- Verdicts: granted, same, replayed, mismatch, in-flight, stale, unknown-event, not-open, over, not-ready, tier-not-open, taken
-- (`taken_…` has which, whose, with which fence and until when), unknown-seat, unknown-type, unknown-replaced, short (`items_left`), limit
-- (`have`, `purchase_limit`), busy (only with `skip_locked`). `answer_ids`: the reservation of granted, same and replayed.
-- `fences` has the largest of each grant, `granted_fences` that of each seat. `freed_…`: seats of
-- holds that ended with the batch, and the fences under which they were held.
--
-- Steps 1 and 4 are in 0009 and 0010. Cost: 64 requests that are refused in step 1: four statements; 64 grants: about fifteen. Plans
-- must not depend on how full the tables were when they were made, hence the settings.
CREATE FUNCTION ticketing.hold_batch(
    of_event uuid, of_version integer, hold_ms integer, topic_partitions integer, skip_locked boolean,
    user_ids uuid[], reservation_ids uuid[], numbers text[], slot_ids text[], replaced_ids uuid[], tiers_open_at timestamptz[],
    ticket_counts integer[], fees_krw integer[], totals_krw integer[], items_lines text[],
    lock_names text[], methods text[], routes text[], keys text[], fingerprints text[],
    seat_requests integer[], seat_nos integer[], seat_lines text[],
    item_requests integer[], item_types uuid[], item_quantities integer[],
    OUT decided_at timestamptz, OUT verdicts text[], OUT answer_ids uuid[], OUT fences double precision[], OUT granted_fences double precision[], OUT ends_at timestamptz[],
    OUT have integer[], OUT purchase_limit integer, OUT items_left integer[],
    OUT taken_requests integer[], OUT taken_seats integer[], OUT taken_users uuid[], OUT taken_fences double precision[], OUT taken_until timestamptz[],
    OUT freed_nos integer[], OUT freed_fences bigint[])
  LANGUAGE plpgsql
  SET lock_timeout = '500ms'
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
AS $$
#variable_conflict use_column
DECLARE
  requests CONSTANT integer := cardinality(user_ids);
  now timestamptz := date_trunc('milliseconds', urr.now());
  sale record; found_row record; locked record;
  -- The buyers, in order.
  buyers uuid[]; lives integer[]; live_before integer[]; is_busy boolean[]; own_first integer[]; own_last integer[]; buyer_of integer[];
  -- Their own live reservations and those to be replaced, by user; `own_acts` is what this call does to them.
  own_ids uuid[] := '{}'; own_users uuid[]; own_numbers text[]; own_statuses text[]; own_ends timestamptz[]; own_sinces timestamptz[]; sinces timestamptz[]; own_counts integer[];
  own_versions integer[]; own_acts text[] := '{}';
  -- The seats and places of the pending ones among these.
  own_seat_owns integer[] := '{}'; own_seat_nos integer[]; own_seats integer[];
  own_item_owns integer[] := '{}'; own_item_ids uuid[]; own_items integer[]; own_item_counts integer[];
  -- What this call frees of them (with `freed_nos` and `freed_fences`): for the ledger.
  freed_owns integer[] := '{}'; freed_steps integer[] := '{}';
  -- The locked seats, in order: as they become, and as they were.
  nos integer[] := '{}'; states smallint[]; holders uuid[]; seat_users uuid[]; untils timestamptz[]; seat_fences bigint[]; steps integer[];
  states_before smallint[]; holders_before uuid[]; fences_before bigint[]; steps_before integer[];
  is_changed boolean[]; granted_to integer[]; wanted integer[] := '{}';
  -- The ticket types, in order, and their locked shards.
  type_ids uuid[] := '{}'; type_needs integer[]; type_left integer[] := '{}'; type_changes integer[] := '{}';
  type_are_all boolean[] := '{}'; type_locked boolean[] := '{}'; item_of integer[] := '{}';
  shard_types integer[] := '{}'; shard_nos smallint[] := '{}'; shard_before integer[] := '{}';
  -- Where the parts of each request begin and end in the lists.
  seat_firsts integer[]; seat_lasts integer[]; item_firsts integer[]; item_lasts integer[];
  -- Of the request in hand.
  first_seat integer; last_seat integer := 0; first_item integer; last_item integer := 0;
  buyer integer; replaced integer; seat integer; place integer; kept integer; ends timestamptz; candidate uuid;
  is_same boolean; lacks boolean; meets_locked boolean; is_unknown boolean; others integer[]; own_taken integer[];
BEGIN
  decided_at := now;
  fences := array_fill(0::double precision, ARRAY[requests]);
  ends_at := array_fill(NULL::timestamptz, ARRAY[requests]); sinces := array_fill(now, ARRAY[requests]);
  have := array_fill(0, ARRAY[requests]); freed_nos := '{}'; freed_fences := '{}';
  granted_fences := array_fill(0::double precision, ARRAY[cardinality(seat_nos)]);

  -- 1. What needs no lock.
  IF skip_locked THEN PERFORM set_config('lock_timeout', '50ms', true); END IF;
  SELECT * INTO verdicts, answer_ids, purchase_limit, items_left, taken_requests, taken_seats, taken_users, taken_fences, taken_until
    FROM ticketing.refuse_visibly(of_event, of_version, now, user_ids, replaced_ids, tiers_open_at, lock_names, methods, routes, keys, fingerprints,
      seat_requests, seat_nos, item_requests, item_types, item_quantities);
  IF array_position(verdicts, NULL) IS NULL THEN RETURN; END IF;

  -- 2. The locks. First the buyers; a new one is there, and locked, by being inserted.
  SELECT array_agg(DISTINCT user_ids[n]) INTO buyers FROM generate_series(1, requests) AS n WHERE verdicts[n] IS NULL;
  INSERT INTO ticketing.buyers (event_id, user_id) SELECT of_event, id FROM unnest(buyers) AS id ORDER BY id ON CONFLICT DO NOTHING;
  IF skip_locked THEN
    SELECT coalesce(array_agg(b.user_id), '{}'), array_agg(b.live) INTO buyers, lives FROM (
      SELECT buyer.user_id, buyer.live FROM ticketing.buyers AS buyer WHERE buyer.event_id = of_event AND buyer.user_id = ANY (buyers)
      ORDER BY buyer.user_id FOR UPDATE SKIP LOCKED) AS b;
  ELSE
    SELECT array_agg(b.user_id), array_agg(b.live) INTO buyers, lives FROM (
      SELECT buyer.user_id, buyer.live FROM ticketing.buyers AS buyer WHERE buyer.event_id = of_event AND buyer.user_id = ANY (buyers)
      ORDER BY buyer.user_id FOR UPDATE) AS b;
  END IF;
  live_before := lives;
  is_busy := array_fill(false, ARRAY[cardinality(buyers)]);
  own_first := array_fill(1, ARRAY[cardinality(buyers)]);
  own_last := array_fill(0, ARRAY[cardinality(buyers)]);
  buyer_of := ARRAY(SELECT width_bucket(id, buyers) FROM unnest(user_ids) WITH ORDINALITY AS request (id, n) ORDER BY n);

  -- Then what these buyers hold. Nobody makes a reservation for them meanwhile, since that needs the buyer's row.
  -- (`IS TRUE` keeps the index by event out of it, which has all reservations of the event.)
  SELECT array_agg(DISTINCT own.id) INTO own_ids FROM (
    SELECT live_one.id FROM unnest(buyers) AS buyer (id) CROSS JOIN LATERAL (
      SELECT id FROM ticketing.reservations WHERE user_id = buyer.id AND (event_id = of_event) IS TRUE
        AND status IN ('pending', 'paying', 'waiting_for_deposit') OFFSET 0) AS live_one
    UNION ALL
    SELECT id FROM ticketing.reservations WHERE id = ANY (array_remove(replaced_ids, NULL))
      AND (event_id = of_event AND user_id = ANY (buyers)) IS TRUE) AS own;
  IF own_ids IS NULL THEN
    own_ids := '{}';
  ELSE
    IF skip_locked THEN
      PERFORM FROM ticketing.reservations WHERE id = ANY (own_ids) ORDER BY id FOR UPDATE SKIP LOCKED;
      -- Those that stayed locked: their buyers wait for another time.
      FOR found_row IN
        SELECT DISTINCT r.user_id FROM ticketing.reservations AS r WHERE r.id = ANY (own_ids) AND r.xmax <> pg_current_xact_id()::xid
      LOOP
        is_busy[width_bucket(found_row.user_id, buyers)] := true;
      END LOOP;
    ELSE
      PERFORM FROM ticketing.reservations WHERE id = ANY (own_ids) ORDER BY id FOR UPDATE;
    END IF;
    SELECT array_agg(id), array_agg(user_id), array_agg(number), array_agg(status), array_agg(expires_at), array_agg(held_since), array_agg(ticket_count), array_agg(version)
      INTO own_ids, own_users, own_numbers, own_statuses, own_ends, own_sinces, own_counts, own_versions
      FROM (SELECT * FROM ticketing.reservations WHERE id = ANY (own_ids) ORDER BY user_id, id) AS r;
    own_acts := array_fill(NULL::text, ARRAY[cardinality(own_ids)]);
    FOR o IN 1 .. cardinality(own_ids) LOOP
      buyer := width_bucket(own_users[o], buyers);
      IF own_last[buyer] = 0 THEN own_first[buyer] := o; END IF;
      own_last[buyer] := o;
    END LOOP;
    SELECT coalesce(array_agg(o), '{}'), coalesce(array_agg(no), '{}') INTO own_seat_owns, own_seat_nos
      FROM unnest(own_ids) WITH ORDINALITY AS mine (id, o)
      CROSS JOIN LATERAL (SELECT seat_nos FROM ticketing.reservations WHERE id = mine.id AND status = 'pending' LIMIT 1) AS r
      CROSS JOIN unnest(r.seat_nos) AS no;
    SELECT coalesce(array_agg(o), '{}'), array_agg((item ->> 'ticketTypeId')::uuid), array_agg((item ->> 'quantity')::integer)
      INTO own_item_owns, own_item_ids, own_item_counts
      FROM unnest(own_ids) WITH ORDINALITY AS mine (id, o)
      CROSS JOIN LATERAL (
        SELECT lines FROM ticketing.reservations WHERE id = mine.id AND status = 'pending' AND seat_nos = '{}' LIMIT 1) AS r
      CROSS JOIN jsonb_array_elements(r.lines -> 'items') AS item;
  END IF;

  -- Then the seats: the wanted ones, and those that may come back.
  IF cardinality(seat_nos) > 0 OR cardinality(own_seat_owns) > 0 THEN
    SELECT array_agg(DISTINCT no) INTO nos FROM (
      SELECT no FROM unnest(seat_requests, seat_nos) AS w (n, no) WHERE verdicts[n] IS NULL
      UNION ALL SELECT unnest(own_seat_nos)) AS either;
    IF skip_locked THEN
      SELECT coalesce(array_agg(s.seat_no), '{}'), array_agg(s.state), array_agg(s.reservation_id), array_agg(s.user_id),
        array_agg(s.held_until), array_agg(s.fence), array_agg(s.step)
        INTO nos, states, holders, seat_users, untils, seat_fences, steps FROM (
        SELECT * FROM ticketing.seats WHERE event_id = of_event AND seat_no = ANY (nos) ORDER BY seat_no FOR UPDATE SKIP LOCKED) AS s;
    ELSE
      SELECT coalesce(array_agg(s.seat_no), '{}'), array_agg(s.state), array_agg(s.reservation_id), array_agg(s.user_id),
        array_agg(s.held_until), array_agg(s.fence), array_agg(s.step)
        INTO nos, states, holders, seat_users, untils, seat_fences, steps FROM (
        SELECT * FROM ticketing.seats WHERE event_id = of_event AND seat_no = ANY (nos) ORDER BY seat_no FOR UPDATE) AS s;
    END IF;
    states_before := states; holders_before := holders; fences_before := seat_fences; steps_before := steps;
    is_changed := array_fill(false, ARRAY[cardinality(nos)]);
    granted_to := array_fill(0, ARRAY[cardinality(nos)]);
    -- The place of each in the list; null for one that is not there, or was skipped.
    wanted := ARRAY(SELECT CASE WHEN nos[at] = no THEN at END
      FROM (SELECT no, width_bucket(no, nos) AS at, place FROM unnest(seat_nos) WITH ORDINALITY AS w (no, place)) AS w ORDER BY w.place);
    own_seats := ARRAY(SELECT CASE WHEN nos[at] = no THEN at END
      FROM (SELECT no, width_bucket(no, nos) AS at, place FROM unnest(own_seat_nos) WITH ORDINALITY AS w (no, place)) AS w ORDER BY w.place);
  END IF;

  -- Then the shards, ticket type by ticket type.
  IF cardinality(item_requests) > 0 OR cardinality(own_item_owns) > 0 THEN
    SELECT array_agg(type_id), array_agg(need) INTO type_ids, type_needs FROM (
      SELECT type_id, sum(quantity)::integer AS need FROM (
        SELECT type_id, quantity FROM unnest(item_requests, item_types, item_quantities) AS w (n, type_id, quantity) WHERE verdicts[n] IS NULL
        UNION ALL SELECT unnest(own_item_ids), 0) AS either
      GROUP BY type_id ORDER BY type_id) AS needed;
    type_ids := coalesce(type_ids, '{}');
    FOR t IN 1 .. cardinality(type_ids) LOOP
      SELECT * INTO locked FROM ticketing.lock_shards(type_ids[t], type_needs[t], skip_locked);
      type_locked[t] := locked.shard_nos IS NOT NULL;
      type_are_all[t] := locked.are_all;
      type_changes[t] := 0;
      type_left[t] := 0;
      FOR shard IN 1 .. coalesce(cardinality(locked.shard_nos), 0) LOOP
        shard_types := shard_types || t;
        shard_nos := shard_nos || locked.shard_nos[shard];
        shard_before := shard_before || locked.places[shard];
        type_left[t] := type_left[t] + locked.places[shard];
      END LOOP;
    END LOOP;
    item_of := ARRAY(SELECT CASE WHEN type_ids[at] = id THEN at END
      FROM (SELECT id, width_bucket(id, type_ids) AS at, place FROM unnest(item_types) WITH ORDINALITY AS w (id, place)) AS w ORDER BY w.place);
    own_items := ARRAY(SELECT width_bucket(id, type_ids) FROM unnest(own_item_ids) WITH ORDINALITY AS w (id, place) ORDER BY place);
  END IF;
  IF skip_locked THEN
    -- Whose own seats or places cannot be freed now waits for another time.
    FOR k IN 1 .. cardinality(own_seat_owns) LOOP
      IF own_seats[k] IS NULL THEN is_busy[width_bucket(own_users[own_seat_owns[k]], buyers)] := true; END IF;
    END LOOP;
    FOR k IN 1 .. cardinality(own_item_owns) LOOP
      IF NOT type_locked[own_items[k]] THEN is_busy[width_bucket(own_users[own_item_owns[k]], buyers)] := true; END IF;
    END LOOP;
  END IF;

  now := date_trunc('milliseconds', urr.now());
  decided_at := now;
  SELECT * INTO sale FROM ticketing.sale_state(of_event, of_version, now);
  purchase_limit := sale.purchase_limit;
  IF sale.sale IS DISTINCT FROM 'open' THEN
    FOR n IN 1 .. requests LOOP
      verdicts[n] := coalesce(verdicts[n], sale.sale, 'unknown-event');
    END LOOP;
    RETURN;
  END IF;

  -- 3. The decision.
  FOR n IN 1 .. requests LOOP
    -- The parts of this request in the lists, which go request by request.
    first_seat := last_seat + 1;
    WHILE seat_requests[last_seat + 1] = n LOOP last_seat := last_seat + 1; END LOOP;
    first_item := last_item + 1;
    WHILE item_requests[last_item + 1] = n LOOP last_item := last_item + 1; END LOOP;
    seat_firsts[n] := first_seat; seat_lasts[n] := last_seat; item_firsts[n] := first_item; item_lasts[n] := last_item;
    CONTINUE WHEN verdicts[n] IS NOT NULL;

    buyer := buyer_of[n];
    IF buyer = 0 OR buyers[buyer] <> user_ids[n] OR is_busy[buyer] THEN verdicts[n] := 'busy'; CONTINUE; END IF;

    replaced := NULL;
    FOR o IN own_first[buyer] .. own_last[buyer] LOOP
      IF own_ids[o] = replaced_ids[n] THEN replaced := o; END IF;
      CONTINUE WHEN own_statuses[o] <> 'pending' OR own_acts[o] IS NOT NULL OR own_ends[o] > now;
      own_acts[o] := 'expired';
      lives[buyer] := lives[buyer] - own_counts[o];
      FOR k IN 1 .. cardinality(own_seat_owns) LOOP
        CONTINUE WHEN own_seat_owns[k] <> o;
        seat := own_seats[k];
        -- Somebody else may have taken it over since it lapsed.
        CONTINUE WHEN holders[seat] IS DISTINCT FROM own_ids[o];
        states[seat] := 0; holders[seat] := NULL; seat_users[seat] := NULL; untils[seat] := NULL;
        steps[seat] := steps[seat] + 1;
        is_changed[seat] := true;
        freed_owns := freed_owns || o; freed_nos := freed_nos || nos[seat];
        freed_fences := freed_fences || seat_fences[seat]; freed_steps := freed_steps || steps[seat];
      END LOOP;
      FOR k IN 1 .. cardinality(own_item_owns) LOOP
        CONTINUE WHEN own_item_owns[k] <> o;
        type_left[own_items[k]] := type_left[own_items[k]] + own_item_counts[k];
        type_changes[own_items[k]] := type_changes[own_items[k]] + own_item_counts[k];
      END LOOP;
    END LOOP;

    -- Seats: all of them are free, or this is refused. `kept`: how many of them are now in the reservation to be replaced.
    others := '{}'; own_taken := '{}'; is_same := true; meets_locked := false; is_unknown := false; kept := 0;
    candidate := NULL;
    FOR w IN first_seat .. last_seat LOOP
      seat := wanted[w];
      IF seat IS NULL THEN
        IF skip_locked THEN meets_locked := true; ELSE is_unknown := true; END IF;
        CONTINUE;
      END IF;
      IF states[seat] = 0 OR states[seat] = 1 AND untils[seat] <= now THEN
        is_same := false;
      ELSIF seat_users[seat] = user_ids[n] THEN
        IF candidate IS NULL THEN candidate := holders[seat]; END IF;
        is_same := is_same AND holders[seat] = candidate AND states[seat] < 3;
        IF states[seat] = 1 AND holders[seat] = replaced_ids[n] THEN kept := kept + 1;
        ELSE own_taken := own_taken || seat;
        END IF;
      ELSE
        is_same := false;
        others := others || seat;
      END IF;
    END LOOP;
    IF is_unknown THEN verdicts[n] := 'unknown-seat'; CONTINUE; END IF;
    IF is_same AND candidate IS NOT NULL AND NOT meets_locked THEN
      -- The same seats again, if these are all of that reservation: it stays as it is, also where it was to be replaced.
      place := granted_to[wanted[first_seat]];
      place := CASE WHEN place > 0 THEN ticket_counts[place] ELSE own_counts[array_position(own_ids, candidate)] END;
      IF last_seat - first_seat + 1 = place THEN
        verdicts[n] := 'same'; answer_ids[n] := candidate; CONTINUE;
      END IF;
    END IF;
    IF cardinality(others) = 0 THEN others := own_taken; END IF;
    IF cardinality(others) > 0 THEN
      verdicts[n] := 'taken';
      FOREACH seat IN ARRAY others LOOP
        taken_requests := taken_requests || n; taken_seats := taken_seats || nos[seat];
        taken_users := taken_users || seat_users[seat]; taken_fences := taken_fences || seat_fences[seat]::double precision; taken_until := taken_until || untils[seat];
      END LOOP;
      CONTINUE;
    END IF;
    IF meets_locked THEN verdicts[n] := 'busy'; CONTINUE; END IF;

    -- What is replaced is pending, or over already; then there is nothing to release.
    IF replaced_ids[n] IS NOT NULL THEN
      IF replaced IS NULL OR own_statuses[replaced] NOT IN ('pending', 'expired', 'released') THEN
        verdicts[n] := 'unknown-replaced';
        CONTINUE;
      END IF;
      IF own_statuses[replaced] <> 'pending' OR own_acts[replaced] IS NOT NULL THEN replaced := NULL; END IF;
    END IF;

    -- Places: as many as are wanted of every type, with those that come back.
    lacks := false;
    FOR w IN first_item .. last_item LOOP
      place := item_of[w];
      items_left[w] := type_left[place];
      FOR k IN 1 .. cardinality(own_item_owns) LOOP
        IF own_item_owns[k] = replaced AND own_items[k] = place THEN
          items_left[w] := items_left[w] + own_item_counts[k];
          kept := kept + 1;
        END IF;
      END LOOP;
      IF NOT type_locked[place] AND NOT skip_locked THEN
        is_unknown := true;
      ELSIF items_left[w] < item_quantities[w] THEN
        lacks := true;
        meets_locked := meets_locked OR NOT type_are_all[place];
      END IF;
    END LOOP;
    IF is_unknown OR lacks THEN
      verdicts[n] := CASE WHEN is_unknown THEN 'unknown-type' WHEN meets_locked THEN 'busy' ELSE 'short' END;
      -- Of a type that has enough, only some shards were locked; the others are told as they look.
      FOR w IN first_item .. last_item LOOP
        CONTINUE WHEN type_are_all[item_of[w]];
        items_left[w] := items_left[w] - type_left[item_of[w]] + type_changes[item_of[w]]
          + (SELECT coalesce(sum(places_left), 0) FROM ticketing.shards WHERE ticket_type_id = item_types[w]);
      END LOOP;
      CONTINUE;
    END IF;

    have[n] := lives[buyer] - coalesce(own_counts[replaced], 0);
    IF have[n] + ticket_counts[n] > purchase_limit THEN verdicts[n] := 'limit'; CONTINUE; END IF;

    -- Granted.
    verdicts[n] := 'granted';
    answer_ids[n] := reservation_ids[n];
    ends := now + make_interval(secs => hold_ms / 1000.0);
    IF replaced IS NOT NULL THEN
      -- A seat or place that is kept is kept for no longer, now or by paying: else one could hold it for ever.
      IF kept > 0 THEN ends := least(ends, own_ends[replaced]); sinces[n] := own_sinces[replaced]; END IF;
      own_acts[replaced] := 'released';
      FOR k IN 1 .. cardinality(own_seat_owns) LOOP
        CONTINUE WHEN own_seat_owns[k] <> replaced;
        seat := own_seats[k];
        CONTINUE WHEN holders[seat] IS DISTINCT FROM own_ids[replaced];
        states[seat] := 0; holders[seat] := NULL; seat_users[seat] := NULL; untils[seat] := NULL;
        steps[seat] := steps[seat] + 1;
        is_changed[seat] := true;
        freed_owns := freed_owns || replaced; freed_nos := freed_nos || nos[seat];
        freed_fences := freed_fences || seat_fences[seat]; freed_steps := freed_steps || steps[seat];
      END LOOP;
      FOR k IN 1 .. cardinality(own_item_owns) LOOP
        CONTINUE WHEN own_item_owns[k] <> replaced;
        type_left[own_items[k]] := type_left[own_items[k]] + own_item_counts[k];
        type_changes[own_items[k]] := type_changes[own_items[k]] + own_item_counts[k];
      END LOOP;
    END IF;
    lives[buyer] := have[n] + ticket_counts[n];
    ends_at[n] := ends;
    FOR w IN first_seat .. last_seat LOOP
      seat := wanted[w];
      states[seat] := 1; holders[seat] := reservation_ids[n]; seat_users[seat] := user_ids[n]; untils[seat] := ends;
      seat_fences[seat] := seat_fences[seat] + 1;
      steps[seat] := 0;
      is_changed[seat] := true;
      granted_to[seat] := n;
      granted_fences[w] := seat_fences[seat];
      IF seat_fences[seat] > fences[n] THEN fences[n] := seat_fences[seat]; END IF;
    END LOOP;
    FOR w IN first_item .. last_item LOOP
      type_left[item_of[w]] := type_left[item_of[w]] - item_quantities[w];
      type_changes[item_of[w]] := type_changes[item_of[w]] - item_quantities[w];
    END LOOP;
  END LOOP;

  -- 4. The writes.
  PERFORM ticketing.write_seats(of_event, nos, states, holders, seat_users, untils, seat_fences, steps,
    states_before, holders_before, fences_before, steps_before, is_changed);
  PERFORM ticketing.write_places(type_ids, type_changes, type_are_all, shard_types, shard_nos, shard_before);
  PERFORM ticketing.write_buyers(of_event, buyers, lives, live_before);
  IF cardinality(array_remove(own_acts, NULL)) > 0 THEN
    PERFORM ticketing.write_ended_holds(of_event, now, topic_partitions, sale.seller_id, own_ids, own_users, own_numbers, own_acts, own_versions,
      freed_owns, freed_nos, freed_fences, freed_steps, own_item_owns, own_item_ids, own_item_counts);
  END IF;
  IF 'granted' = ANY (verdicts) THEN
    PERFORM ticketing.write_grants(of_event, now, topic_partitions, verdicts, user_ids, reservation_ids, numbers, slot_ids, ticket_counts,
      fees_krw, totals_krw, items_lines, ends_at, sinces, fences, seat_firsts, seat_lasts, item_firsts, item_lasts,
      seat_nos, seat_lines, granted_fences, item_types, item_quantities);
  END IF;
  INSERT INTO urr.idempotency_keys (user_id, method, route, key, fingerprint, status, body)
  SELECT r.user_id::text, r.method, r.route, r.key, r.fingerprint, CASE verdict WHEN 'granted' THEN 201 ELSE 200 END,
    jsonb_build_object('reservationId', r.answer_id)
  FROM unnest(verdicts, user_ids, methods, routes, keys, fingerprints, answer_ids) AS r (verdict, user_id, method, route, key, fingerprint, answer_id)
  WHERE verdict IN ('granted', 'same');
END $$;
