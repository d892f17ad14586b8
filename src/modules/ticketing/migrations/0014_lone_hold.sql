-- A request for seats that came alone, as nearly every one does outside a rush: ticketing.hold_batch (0002) for a single request, with as few
-- statements as its rows need.
--
-- 1. Without a lock: is this a new key, an open sale, a buyer without a live hold of this event, and are all seats available? If not, hold_batch
--    decides, in the same transaction.
-- 2. The locks, in the same order: the key (advisory), the buyer (by counting the tickets), the seats. Then, once, the time.
-- 3. The decision. Where somebody was faster, or the limit is reached, the count is taken back and `verdicts` stays null: nothing has happened,
--    and the caller asks hold_batch, which takes its locks in their order from the beginning.
-- 4. The writes. Each names what it expects to find, or is checked by what it returns.
--
-- Parameters are those of one request there (`of_seats` in the order of `seat_lines`), and so are the results, without those that say nothing of
-- a grant. Cost: nine statements; always the same plans, since a list of one seat would be planned anew each time.
CREATE FUNCTION ticketing.hold_batch_of_one(
    of_event uuid, of_version integer, hold_ms integer, topic_partitions integer,
    of_user uuid, reservation uuid, number text, slot text, tier_opens_at timestamptz, fee_krw integer, total_krw integer,
    lock_name text, method text, route text, key text, fingerprint text, of_seats integer[], seat_lines text[],
    OUT decided_at timestamptz, OUT verdicts text[], OUT answer_ids uuid[], OUT fences double precision[], OUT granted_fences double precision[], OUT ends_at timestamptz[],
    OUT have integer[], OUT purchase_limit integer, OUT items_left integer[],
    OUT taken_requests integer[], OUT taken_seats integer[], OUT taken_users uuid[], OUT taken_fences double precision[], OUT taken_until timestamptz[],
    OUT freed_nos integer[], OUT freed_fences bigint[])
  LANGUAGE plpgsql
  SET lock_timeout = '500ms' SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
AS $$
#variable_conflict use_variable
DECLARE
  tickets CONSTANT integer := cardinality(of_seats);
  now timestamptz := date_trunc('milliseconds', urr.now());
  is_plain boolean := false;
  live_now integer; seats record; sale record; written integer;
  ends timestamptz; kept text := ''; lines jsonb;
BEGIN
  -- 1. What needs no lock. (`IS TRUE`: as in hold_batch.)
  IF pg_try_advisory_xact_lock(hashtextextended(lock_name, 7277)) THEN
    SELECT state.sale = 'open' AND now >= tier_opens_at
      AND NOT EXISTS (SELECT FROM urr.idempotency_keys AS k WHERE k.user_id = of_user::text AND k.method = hold_batch_of_one.method
        AND k.route = hold_batch_of_one.route AND k.key = hold_batch_of_one.key)
      AND NOT EXISTS (SELECT FROM ticketing.seats AS s WHERE s.event_id = of_event AND s.seat_no = ANY (of_seats) AND s.state > 0)
      AND NOT EXISTS (SELECT FROM ticketing.reservations AS r WHERE r.user_id = of_user AND (r.event_id = of_event) IS TRUE
        AND r.status IN ('pending', 'paying', 'waiting_for_deposit'))
      AND tickets <= state.purchase_limit
      INTO is_plain FROM ticketing.sale_state(of_event, of_version, now) AS state;
  END IF;
  IF is_plain IS NOT TRUE THEN
    SELECT * INTO decided_at, verdicts, answer_ids, fences, granted_fences, ends_at, have, purchase_limit, items_left,
        taken_requests, taken_seats, taken_users, taken_fences, taken_until, freed_nos, freed_fences
      FROM ticketing.hold_batch(of_event, of_version, hold_ms, topic_partitions, false,
        ARRAY[of_user], ARRAY[reservation], ARRAY[number], ARRAY[slot], ARRAY[NULL::uuid], ARRAY[tier_opens_at],
        ARRAY[tickets], ARRAY[fee_krw], ARRAY[total_krw], ARRAY['[]'],
        ARRAY[lock_name], ARRAY[method], ARRAY[route], ARRAY[key], ARRAY[fingerprint],
        array_fill(1, ARRAY[tickets]), of_seats, seat_lines, '{}', '{}', '{}');
    RETURN;
  END IF;

  -- 2. The locks.
  INSERT INTO ticketing.buyers AS b (event_id, user_id, live) VALUES (of_event, of_user, tickets)
  ON CONFLICT (event_id, user_id) DO UPDATE SET live = b.live + tickets RETURNING b.live INTO live_now;
  SELECT count(*) = tickets AND bool_and(s.state = 0) AS are_free, max(s.fence) + 1 AS fence,
      array_agg(s.fence + 1 ORDER BY array_position(of_seats, s.seat_no)) AS fences INTO seats FROM (
    SELECT * FROM ticketing.seats WHERE event_id = of_event AND seat_no = ANY (of_seats) ORDER BY seat_no FOR UPDATE) AS s;
  now := date_trunc('milliseconds', urr.now());
  SELECT * INTO sale FROM ticketing.sale_state(of_event, of_version, now);

  -- 3. The decision.
  IF (seats.are_free AND sale.sale = 'open' AND live_now <= sale.purchase_limit) IS NOT TRUE THEN
    UPDATE ticketing.buyers AS b SET live = b.live - tickets WHERE b.event_id = of_event AND b.user_id = of_user;
    RETURN;
  END IF;

  -- 4. The writes.
  ends := now + make_interval(secs => hold_ms / 1000.0);
  UPDATE ticketing.seats AS s SET state = 1, reservation_id = reservation, user_id = of_user, held_until = ends,
    fence = seats.fences[array_position(of_seats, s.seat_no)], step = 0
  WHERE s.event_id = of_event AND s.seat_no = ANY (of_seats) AND s.state = 0 AND s.fence + 1 = seats.fences[array_position(of_seats, s.seat_no)];
  GET DIAGNOSTICS written = ROW_COUNT;
  IF written <> tickets THEN PERFORM ticketing.insist_unchanged(written, tickets, 'a seat'); END IF;

  FOR n IN 1 .. tickets LOOP
    kept := kept || CASE WHEN n = 1 THEN '' ELSE ',' END || left(seat_lines[n], -1) || ',"fence":' || seats.fences[n] || '}';
  END LOOP;
  lines := '{"seats":[' || kept || '],"items":[]}';
  INSERT INTO ticketing.reservations (id, number, event_id, user_id, status, payment_status, lines, seat_nos, ticket_count, fee_krw, total_krw,
    fence, slot_id, created_at, held_since, expires_at)
  VALUES (reservation, number, of_event, of_user, 'pending', 'none', lines, of_seats, tickets, fee_krw, total_krw, seats.fence, slot, now, now, ends);
  INSERT INTO ticketing.ledger (at, event_id, act, reservation_id, reservation_version, reservation_status, user_id,
    seat_nos, seat_fences, seat_steps, seat_state, held_until, cause)
  VALUES (now, of_event, 'held', reservation, 1, 'pending', of_user, of_seats, seats.fences, array_fill(0, ARRAY[tickets]), 1, ends,
    jsonb_build_object('lines', ticketing.lines_fingerprint(lines)));
  PERFORM urr.append_event('reservation-holds', topic_partitions, of_event::text, 'RESERVATIONS_CREATED', 1,
    ('{"eventId":"' || of_event || '","reservations":[{"reservationId":"' || reservation || '","userId":"' || of_user || '","seats":['
      || array_to_string(seat_lines, ',') || '],"items":[],"feeKrw":' || fee_krw || ',"totalKrw":' || total_krw || ',"createdAt":"'
      || urr.iso_time(now) || '","expiresAt":"' || urr.iso_time(ends) || '"}]}')::json, now);
  INSERT INTO urr.idempotency_keys (user_id, method, route, key, fingerprint, status, body)
  VALUES (of_user::text, method, route, key, fingerprint, 201, jsonb_build_object('reservationId', reservation));

  decided_at := now; verdicts := '{granted}'; fences := ARRAY[seats.fence]; granted_fences := seats.fences; ends_at := ARRAY[ends];
END $$;
