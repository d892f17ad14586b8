-- For the seats that several requests of one batch want, read once for all of them: who visibly has them while the sale is open, so that these
-- requests can be refused without ticketing.hold_batch. It says of them what ticketing.refuse_visibly (0009) would.
--
-- `known_keys`: which of the given keys (counted from 1) are stored, or in work elsewhere. Their requests are left to hold_batch, and so are all
-- when the sale is not open. Keys that were made for the request itself need not be given. Null in `taken_seats`: nobody has any.
-- Locks: the keys, by advisory locks until the transaction ends, without waiting; no row. Cost: two statements, and one more where keys are given.
CREATE FUNCTION ticketing.visibly_taken(
    of_event uuid, of_version integer, of_seats integer[],
    user_ids text[], methods text[], routes text[], keys text[], lock_names text[],
    OUT decided_at timestamptz, OUT taken_seats integer[], OUT taken_users uuid[], OUT taken_fences double precision[],
    OUT taken_until timestamptz[], OUT known_keys integer[])
  LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
AS $$
BEGIN
  decided_at := date_trunc('milliseconds', urr.now());
  IF (SELECT state.sale = 'open' FROM ticketing.sale_state(of_event, of_version, decided_at) AS state) IS NOT TRUE THEN RETURN; END IF;
  SELECT array_agg(s.seat_no), array_agg(s.user_id), array_agg(s.fence::double precision), array_agg(s.held_until)
    INTO taken_seats, taken_users, taken_fences, taken_until
    FROM ticketing.seats AS s WHERE s.event_id = of_event AND s.seat_no = ANY (of_seats)
      AND (s.state > 1 OR s.state = 1 AND s.held_until > decided_at);
  IF taken_seats IS NULL OR cardinality(keys) = 0 THEN RETURN; END IF;
  known_keys := ARRAY(
    SELECT request.n::integer
    FROM unnest(user_ids, methods, routes, keys, lock_names) WITH ORDINALITY AS request (user_id, method, route, key, lock_name, n)
    WHERE NOT pg_try_advisory_xact_lock(hashtextextended(request.lock_name, 7277))
      OR EXISTS (SELECT FROM urr.idempotency_keys AS k WHERE k.user_id = request.user_id AND k.method = request.method
        AND k.route = request.route AND k.key = request.key));
END $$;
