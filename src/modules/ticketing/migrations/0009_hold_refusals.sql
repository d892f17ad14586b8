-- Step 1 of ticketing.hold_batch (0002): what is answered without locking a row.

-- How the sale of an event stands at a moment, for one who knows its facts of this version. No row: no such event. Takes no lock.
CREATE FUNCTION ticketing.sale_state(of_event uuid, of_version integer, at timestamptz)
  RETURNS TABLE (sale text, purchase_limit integer, seller_id uuid) LANGUAGE sql STABLE AS $$
  SELECT CASE
      WHEN version <> of_version THEN 'stale'
      WHEN cancelled_at IS NOT NULL OR at >= sale_closes_at THEN 'over'
      WHEN at < sale_opens_at THEN 'not-open'
      WHEN built_offer IS DISTINCT FROM offer THEN 'not-ready'
      ELSE 'open' END,
    events.purchase_limit, events.seller_id
  FROM ticketing.events WHERE event_id = of_event
$$;

-- Keys that are known, or in work elsewhere; the sale that is not open; seats that somebody else visibly has, and places of which there are
-- visibly too few. Places that the request itself would bring back are not visible, so one that replaces something is left open.
-- Parameters and results are those of hold_batch. A verdict that stays null is decided under the locks.
-- Locks: the keys, by advisory locks until the transaction ends, without waiting. Cost: four statements.
CREATE FUNCTION ticketing.refuse_visibly(
    of_event uuid, of_version integer, now timestamptz, user_ids uuid[], replaced_ids uuid[], tiers_open_at timestamptz[],
    lock_names text[], methods text[], routes text[], keys text[], fingerprints text[],
    seat_requests integer[], seat_nos integer[], item_requests integer[], item_types uuid[], item_quantities integer[],
    OUT verdicts text[], OUT answer_ids uuid[], OUT purchase_limit integer, OUT items_left integer[],
    OUT taken_requests integer[], OUT taken_seats integer[], OUT taken_users uuid[], OUT taken_fences double precision[],
    OUT taken_until timestamptz[])
  LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  requests CONSTANT integer := cardinality(user_ids);
  state record;
  found_row record;
  -- The seats that are taken, in order.
  nos integer[]; users uuid[]; fences double precision[]; untils timestamptz[];
  n integer;
  at integer;
BEGIN
  verdicts := array_fill(NULL::text, ARRAY[requests]);
  answer_ids := array_fill(NULL::uuid, ARRAY[requests]);
  items_left := array_fill(0, ARRAY[cardinality(item_requests)]);
  taken_requests := '{}'; taken_seats := '{}'; taken_users := '{}'; taken_fences := '{}'; taken_until := '{}';

  FOR found_row IN
    SELECT request.n FROM unnest(lock_names) WITH ORDINALITY AS request (name, n)
    WHERE NOT pg_try_advisory_xact_lock(hashtextextended(name, 7277))
  LOOP
    verdicts[found_row.n] := 'in-flight';
  END LOOP;
  FOR found_row IN
    SELECT request.n, stored.fingerprint = request.fingerprint AS is_repeat, (stored.body ->> 'reservationId')::uuid AS id
    FROM unnest(user_ids, methods, routes, keys, fingerprints) WITH ORDINALITY AS request (user_id, method, route, key, fingerprint, n)
    -- By the key, whatever the planner believes of the table.
    CROSS JOIN LATERAL (
      SELECT fingerprint, body FROM urr.idempotency_keys AS k WHERE k.user_id = request.user_id::text AND k.method = request.method
        AND k.route = request.route AND k.key = request.key LIMIT 1) AS stored
  LOOP
    CONTINUE WHEN verdicts[found_row.n] IS NOT NULL;
    verdicts[found_row.n] := CASE WHEN found_row.is_repeat THEN 'replayed' ELSE 'mismatch' END;
    answer_ids[found_row.n] := found_row.id;
  END LOOP;

  SELECT * INTO state FROM ticketing.sale_state(of_event, of_version, now);
  purchase_limit := state.purchase_limit;
  FOR request IN 1 .. requests LOOP
    IF verdicts[request] IS NOT NULL THEN CONTINUE;
    ELSIF state.sale IS DISTINCT FROM 'open' THEN verdicts[request] := coalesce(state.sale, 'unknown-event');
    ELSIF now < tiers_open_at[request] THEN verdicts[request] := 'tier-not-open';
    END IF;
  END LOOP;
  IF state.sale IS DISTINCT FROM 'open' THEN RETURN; END IF;

  IF cardinality(seat_nos) > 0 THEN
    SELECT array_agg(s.seat_no), array_agg(s.user_id), array_agg(s.fence::double precision), array_agg(s.held_until)
      INTO nos, users, fences, untils FROM (
      SELECT seat_no, user_id, fence, held_until FROM ticketing.seats WHERE event_id = of_event AND seat_no = ANY (seat_nos)
        AND (state > 1 OR state = 1 AND held_until > now) ORDER BY seat_no) AS s;
    IF nos IS NOT NULL THEN
      FOR w IN 1 .. cardinality(seat_nos) LOOP
        at := width_bucket(seat_nos[w], nos);
        n := seat_requests[w];
        CONTINUE WHEN at = 0 OR nos[at] <> seat_nos[w] OR users[at] IS NOT DISTINCT FROM user_ids[n]
          OR (verdicts[n] IS NOT NULL AND verdicts[n] <> 'taken');
        verdicts[n] := 'taken';
        taken_requests := taken_requests || n; taken_seats := taken_seats || nos[at];
        taken_users := taken_users || users[at]; taken_fences := taken_fences || fences[at]; taken_until := taken_until || untils[at];
      END LOOP;
    END IF;
  END IF;

  IF cardinality(item_requests) > 0 THEN
    FOR found_row IN
      SELECT w.n, w.place, w.quantity, left_of.places
      FROM unnest(item_requests, item_types, item_quantities) WITH ORDINALITY AS w (n, type_id, quantity, place)
      CROSS JOIN LATERAL (SELECT sum(places_left)::integer AS places FROM ticketing.shards WHERE ticket_type_id = w.type_id) AS left_of
      WHERE replaced_ids[w.n] IS NULL
    LOOP
      items_left[found_row.place] := coalesce(found_row.places, 0);
      CONTINUE WHEN verdicts[found_row.n] IS NOT NULL OR found_row.places >= found_row.quantity;
      verdicts[found_row.n] := CASE WHEN found_row.places IS NULL THEN 'unknown-type' ELSE 'short' END;
    END LOOP;
  END IF;
END $$;
