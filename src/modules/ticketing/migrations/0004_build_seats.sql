-- How the seats of an event come to be.

-- When what the event offers last changed, by which the wait for its seats is measured; and when anybody may buy first.
ALTER TABLE ticketing.events
  ADD COLUMN offer_at timestamptz NOT NULL DEFAULT urr.now(),
  ADD COLUMN sells_from timestamptz NOT NULL DEFAULT urr.now();

-- Seats are made and removed by build_seats alone, under a lock of their event. A check of the event for each of 100,000 rows would take
-- longer than the rows themselves.
ALTER TABLE ticketing.seats DROP CONSTRAINT seats_event_id_fkey;

-- Events whose seats are not those of their offer, the next to be sold first.
CREATE INDEX events_unbuilt ON ticketing.events (sells_from)
  WHERE built_offer IS DISTINCT FROM offer AND cancelled_at IS NULL;

-- Purpose: the seats and standing places of an event become those of `of_offer`, and a ledger row `built` says so.
--   `plan`: PlanDocument of domain/seat-plan.ts with `seat_count` seats. `were_blocked`: the seats that the caller saw blocked, in
--   order; `block_again`: the same seats by their numbers in the new plan, as far as it has them.
-- Returns: `built`; `repriced` (something was reserved already, and only prices differ: no seat or place was touched); or, with
--   nothing done: `unchanged` (they are those of the offer already), `stale` (the event offers something else by now, or is
--   cancelled), `busy` (another process is at it), `blocks` (other seats are blocked than the caller saw), `reserved` (something is or
--   was reserved and the seats would have to change).
-- Locks: the event, for the build alone; then, as everybody does, its seats and its shards, which waits for holds under way. Later ones
--   wait here and then find another version of the event than the one they were decided by.
-- Cost: one row a seat; 100,000 seats take about a second.
CREATE FUNCTION ticketing.build_seats(
  of_event uuid, of_offer text, of_layout uuid, plan jsonb, seat_count integer, were_blocked integer[], block_again integer[]
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz := urr.now();
  event ticketing.events;
  standing_layout uuid;
  is_reserved boolean;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('ticketing.build_seats ' || of_event, 7277)) THEN RETURN 'busy'; END IF;
  SELECT * INTO event FROM ticketing.events WHERE event_id = of_event FOR NO KEY UPDATE;
  IF event.built_offer = event.offer AND event.offer = of_offer THEN RETURN 'unchanged'; END IF;
  IF event.offer IS DISTINCT FROM of_offer OR event.cancelled_at IS NOT NULL THEN RETURN 'stale'; END IF;

  PERFORM FROM ticketing.seats WHERE event_id = of_event ORDER BY seat_no FOR UPDATE;
  PERFORM FROM ticketing.shards
    WHERE ticket_type_id IN (SELECT ticket_type_id FROM ticketing.ticket_types WHERE event_id = of_event)
    ORDER BY ticket_type_id, shard_no FOR UPDATE;
  is_reserved := EXISTS (SELECT FROM ticketing.reservations WHERE event_id = of_event);
  IF is_reserved THEN
    SELECT layout_id INTO standing_layout FROM ticketing.plans WHERE event_id = of_event;
    IF standing_layout IS DISTINCT FROM of_layout OR NOT ticketing.has_same_places(of_event, plan) THEN
      RETURN 'reserved';
    END IF;
    UPDATE ticketing.plans SET offer = of_offer, plan = build_seats.plan WHERE event_id = of_event;
    UPDATE ticketing.ticket_types AS known SET price_krw = offered.price_krw
      FROM ticketing.planned_types(plan) AS offered WHERE known.ticket_type_id = offered.ticket_type_id;
    UPDATE ticketing.events SET built_offer = of_offer, changed_at = moment WHERE event_id = of_event;
    INSERT INTO ticketing.ledger (at, event_id, act, cause)
      VALUES (moment, of_event, 'repriced', jsonb_build_object('offer', of_offer));
    RETURN 'repriced';
  END IF;
  IF were_blocked <> ARRAY(
    SELECT seat_no FROM ticketing.seats WHERE event_id = of_event AND state = 4 ORDER BY seat_no
  ) THEN
    RETURN 'blocks';
  END IF;

  DELETE FROM ticketing.shards
    WHERE ticket_type_id IN (SELECT ticket_type_id FROM ticketing.ticket_types WHERE event_id = of_event);
  DELETE FROM ticketing.ticket_types WHERE event_id = of_event;
  DELETE FROM ticketing.seats WHERE event_id = of_event;
  INSERT INTO ticketing.plans (event_id, offer, layout_id, plan) VALUES (of_event, of_offer, of_layout, build_seats.plan)
    ON CONFLICT (event_id) DO UPDATE SET offer = excluded.offer, layout_id = excluded.layout_id, plan = excluded.plan;
  INSERT INTO ticketing.seats (event_id, seat_no, state, step)
    SELECT of_event, n, CASE WHEN blocked_no IS NULL THEN 0 ELSE 4 END, CASE WHEN blocked_no IS NULL THEN 0 ELSE 1 END
    FROM generate_series(0, seat_count - 1) AS n LEFT JOIN unnest(block_again) AS blocked_no ON blocked_no = n;
  INSERT INTO ticketing.ticket_types (ticket_type_id, event_id, area_id, name, name_en, capacity, price_krw)
    SELECT ticket_type_id, of_event, area_id, name, name_en, capacity, price_krw FROM ticketing.planned_types(plan);
  PERFORM ticketing.make_shards(ticket_type_id, capacity)
    FROM ticketing.ticket_types WHERE event_id = of_event ORDER BY ticket_type_id;
  UPDATE ticketing.events SET built_offer = of_offer, changed_at = moment WHERE event_id = of_event;

  INSERT INTO ticketing.ledger (at, event_id, act, cause)
  SELECT moment, of_event, 'built', jsonb_build_object('offer', of_offer, 'seatCount', seat_count, 'ticketTypes', coalesce(
    jsonb_agg(jsonb_build_object('ticketTypeId', ticket_type_id, 'capacity', capacity) ORDER BY ticket_type_id), '[]'))
  FROM ticketing.ticket_types WHERE event_id = of_event;
  IF cardinality(block_again) > 0 THEN
    INSERT INTO ticketing.ledger (at, event_id, act, seat_nos, seat_fences, seat_steps, seat_state, cause)
    VALUES (moment, of_event, 'blocked', block_again, array_fill(0::bigint, ARRAY[cardinality(block_again)]),
      array_fill(1, ARRAY[cardinality(block_again)]), 4, '{"reason": "they were blocked before the seats were built anew"}');
  END IF;
  RETURN 'built';
END $$;

-- The standing places of a PlanDocument as rows.
CREATE FUNCTION ticketing.planned_types(plan jsonb)
RETURNS TABLE (ticket_type_id uuid, area_id text, name text, name_en text, capacity integer, price_krw integer)
LANGUAGE sql IMMUTABLE AS $$
  SELECT "ticketTypeId", "areaId", name, "nameEn", capacity, "priceKrw" FROM jsonb_to_recordset(plan->'ticketTypes')
    AS types ("ticketTypeId" uuid, "areaId" text, name text, "nameEn" text, capacity integer, "priceKrw" integer)
$$;

-- Whether a plan has the same ticket types with the same number of places as the event has.
CREATE FUNCTION ticketing.has_same_places(of_event uuid, plan jsonb) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT NOT EXISTS (
    SELECT FROM (SELECT ticket_type_id, capacity FROM ticketing.ticket_types WHERE event_id = of_event) AS standing
    FULL JOIN ticketing.planned_types(plan) AS offered USING (ticket_type_id)
    WHERE standing.capacity IS DISTINCT FROM offered.capacity
  )
$$;
