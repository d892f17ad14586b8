-- Requests for seats that arrived together, of which none is in another's way: ticketing.hold_batch (0002) for the usual case of a rush, with as
-- few statements as their rows need. The caller has seen that no buyer and no seat is named twice, that none asks for places, that none
-- replaces anything, and that all came by one route.
--
-- 1. The keys (advisory), without waiting.
-- 2. Without a lock: are all keys new, is the sale open for all, has none of the buyers a live hold of this event, and are all seats available?
--    If not, hold_batch decides, in the same transaction. The time is taken after these reads, so whatever is unchanged since then was so before it.
-- 3. The locks, in the same order, by the writes themselves: the buyers (by counting their tickets), the seats. Each names what was read. Where
--    somebody was faster, or a lock was long in coming, so that the time is an old one, all is undone, and the caller asks hold_batch.
-- 4. What follows.
--
-- Parameters and results are those of hold_batch. Where all are granted, `verdicts` and `ends_at` have one place for all of them, and of the
-- rest only `granted_fences` is there. Cost: eight statements.
CREATE FUNCTION ticketing.hold_batch_of_plain(
    of_event uuid, of_version integer, hold_ms integer, topic_partitions integer,
    user_ids uuid[], reservation_ids uuid[], numbers text[], slot_ids text[], tiers_open_at timestamptz[],
    ticket_counts integer[], fees_krw integer[], totals_krw integer[],
    lock_names text[], method text, route text, keys text[], fingerprints text[],
    seat_requests integer[], seat_nos integer[], seat_lines text[],
    OUT decided_at timestamptz, OUT verdicts text[], OUT answer_ids uuid[], OUT fences double precision[], OUT granted_fences double precision[], OUT ends_at timestamptz[],
    OUT have integer[], OUT purchase_limit integer, OUT items_left integer[],
    OUT taken_requests integer[], OUT taken_seats integer[], OUT taken_users uuid[], OUT taken_fences double precision[], OUT taken_until timestamptz[],
    OUT freed_nos integer[], OUT freed_fences bigint[])
  LANGUAGE plpgsql
  SET lock_timeout = '500ms' SET plan_cache_mode = force_generic_plan
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
AS $$
#variable_conflict use_variable
DECLARE
  requests CONSTANT integer := cardinality(user_ids);
  now timestamptz; ends timestamptz;
  is_plain boolean := false;
  sale record;
  fences_before bigint[]; steps_before integer[];
  written integer;
  list text; at_text text; end_text text;
BEGIN
  -- 1. and 2. (`IS TRUE`: as in hold_batch.)
  IF (SELECT bool_and(pg_try_advisory_xact_lock(hashtextextended(name, 7277))) FROM unnest(lock_names) AS name) THEN
    SELECT count(*) = cardinality(seat_nos) AND bool_and(s.state = 0)
        AND NOT EXISTS (SELECT FROM unnest(user_ids, keys) AS request (user_id, key)
          CROSS JOIN LATERAL (SELECT FROM urr.idempotency_keys AS k WHERE k.user_id = request.user_id::text
            AND k.method = hold_batch_of_plain.method AND k.route = hold_batch_of_plain.route AND k.key = request.key LIMIT 1) AS stored)
        AND NOT EXISTS (SELECT FROM unnest(user_ids) AS buyer (id) CROSS JOIN LATERAL (
          SELECT FROM ticketing.reservations AS r WHERE r.user_id = buyer.id AND (r.event_id = of_event) IS TRUE
            AND r.status IN ('pending', 'paying', 'waiting_for_deposit') LIMIT 1) AS own),
        array_agg(s.fence ORDER BY w.place), array_agg(s.step ORDER BY w.place)
      INTO is_plain, fences_before, steps_before
      FROM unnest(seat_nos) WITH ORDINALITY AS w (no, place)
      CROSS JOIN LATERAL (
        SELECT state, fence, step FROM ticketing.seats WHERE event_id = of_event AND seat_no = w.no LIMIT 1) AS s;
    now := date_trunc('milliseconds', urr.now());
    SELECT * INTO sale FROM ticketing.sale_state(of_event, of_version, now);
  END IF;
  IF (is_plain AND sale.sale = 'open' AND now >= ALL (tiers_open_at) AND sale.purchase_limit >= ALL (ticket_counts)) IS NOT TRUE THEN
    SELECT * INTO decided_at, verdicts, answer_ids, fences, granted_fences, ends_at, have, purchase_limit, items_left,
        taken_requests, taken_seats, taken_users, taken_fences, taken_until, freed_nos, freed_fences
      FROM ticketing.hold_batch(of_event, of_version, hold_ms, topic_partitions, false,
        user_ids, reservation_ids, numbers, slot_ids, array_fill(NULL::uuid, ARRAY[requests]), tiers_open_at,
        ticket_counts, fees_krw, totals_krw, array_fill('[]'::text, ARRAY[requests]),
        lock_names, array_fill(method, ARRAY[requests]), array_fill(route, ARRAY[requests]), keys, fingerprints, seat_requests, seat_nos, seat_lines, '{}', '{}', '{}');
    RETURN;
  END IF;

  -- 3. The locks, with what they are for.
  ends := now + make_interval(secs => hold_ms / 1000.0);
  WITH counted AS (
    INSERT INTO ticketing.buyers AS b (event_id, user_id, live)
    SELECT of_event, c.id, c.tickets FROM unnest(user_ids, ticket_counts) AS c (id, tickets) ORDER BY c.id
    ON CONFLICT (event_id, user_id) DO UPDATE SET live = b.live + excluded.live
    RETURNING b.live
  ) SELECT count(*) INTO written FROM counted WHERE live <= sale.purchase_limit;
  IF written <> requests THEN PERFORM ticketing.insist_unchanged(written, requests, 'a buyer'); END IF;
  -- By the keys of the rows, which the index gives in their order, and not by a join: the table may have been empty when this was planned.
  UPDATE ticketing.seats AS s
  SET state = 1, held_until = ends, fence = fences_before[array_position(seat_nos, s.seat_no)] + 1, step = 0,
    reservation_id = reservation_ids[seat_requests[array_position(seat_nos, s.seat_no)]],
    user_id = user_ids[seat_requests[array_position(seat_nos, s.seat_no)]]
  WHERE s.event_id = of_event AND s.seat_no = ANY (seat_nos)
    AND s.state = 0 AND s.fence = fences_before[array_position(seat_nos, s.seat_no)] AND s.step = steps_before[array_position(seat_nos, s.seat_no)];
  GET DIAGNOSTICS written = ROW_COUNT;
  IF written <> cardinality(seat_nos) THEN PERFORM ticketing.insist_unchanged(written, cardinality(seat_nos), 'a seat'); END IF;
  IF urr.now() > now + interval '100 milliseconds' THEN
    RAISE EXCEPTION 'the locks came late' USING ERRCODE = 'serialization_failure';
  END IF;

  -- 4. What follows.
  at_text := urr.iso_time(now);
  end_text := urr.iso_time(ends);
  WITH seats AS MATERIALIZED (
    SELECT w.n, array_agg(w.no) AS nos, array_agg(w.fence + 1) AS fences, max(w.fence) + 1 AS fence, array_agg(0) AS steps,
      string_agg(w.line, ',') AS told, string_agg(left(w.line, -1) || ',"fence":' || w.fence + 1 || '}', ',') AS kept
    FROM unnest(seat_requests, seat_nos, seat_lines, fences_before) AS w (n, no, line, fence) GROUP BY w.n
  ), granted AS MATERIALIZED (
    SELECT seats.*, user_ids[n] AS user_id, reservation_ids[n] AS id, fees_krw[n] AS fee_krw, totals_krw[n] AS total_krw,
      ('{"seats":[' || kept || '],"items":[]}')::jsonb AS lines
    FROM seats
  ), made AS (
    INSERT INTO ticketing.reservations (id, number, event_id, user_id, status, payment_status, lines, seat_nos, ticket_count, fee_krw, total_krw,
      fence, slot_id, created_at, held_since, expires_at)
    SELECT r.id, numbers[r.n], of_event, r.user_id, 'pending', 'none', r.lines, r.nos, ticket_counts[r.n], r.fee_krw, r.total_krw, r.fence,
      slot_ids[r.n], now, now, ends
    FROM granted AS r
  ), told AS (
    INSERT INTO ticketing.ledger (at, event_id, act, reservation_id, reservation_version, reservation_status, user_id,
      seat_nos, seat_fences, seat_steps, seat_state, held_until, cause)
    SELECT now, of_event, 'held', r.id, 1, 'pending', r.user_id, r.nos, r.fences, r.steps, 1, ends,
      jsonb_build_object('lines', ticketing.lines_fingerprint(r.lines))
    FROM granted AS r
  ), known AS (
    INSERT INTO urr.idempotency_keys (user_id, method, route, key, fingerprint, status, body)
    SELECT r.user_id::text, hold_batch_of_plain.method, hold_batch_of_plain.route, keys[r.n], fingerprints[r.n], 201, jsonb_build_object('reservationId', r.id)
    FROM granted AS r
  )
  SELECT string_agg('{"reservationId":"' || r.id || '","userId":"' || r.user_id || '","seats":[' || r.told || '],"items":[],"feeKrw":'
      || r.fee_krw || ',"totalKrw":' || r.total_krw || ',"createdAt":"' || at_text || '","expiresAt":"' || end_text || '"}', ',')
    INTO list FROM granted AS r;
  PERFORM urr.append_event('reservation-holds', topic_partitions, of_event::text, 'RESERVATIONS_CREATED', 1,
    ('{"eventId":"' || of_event || '","reservations":[' || list || ']}')::json, now);

  decided_at := now;
  verdicts := '{granted}';
  ends_at := ARRAY[ends];
  granted_fences := ARRAY(SELECT (fence + 1)::double precision FROM unnest(fences_before) WITH ORDINALITY AS b (fence, place) ORDER BY place);
END $$;
