-- What happens to a reservation after its hold, until it is paid for: expired, released, extended, pinned, unpinned. Payments' outcomes are
-- in 0007, cancellations in 0008.
--
-- Every transition is one function call, so that a frozen client holds no lock. It locks first (buyers, reservations, seats, tickets, each by
-- its key), then takes one `now` for all it decides and writes, then reads the state, then changes rows by statements that name owner,
-- state and fence. Its ledger and outbox rows are written in the same call. Places of standing areas are given back last: a shard is
-- what most others wait for, and nobody waits for a ticket while having one.
--
-- Calls forbid whole scans and joins that need them: a plan is kept, and one that was made while a table was empty read all seats of
-- an event for each call later on (measured: 130 ms instead of 8 for a pin among 100,000 seats).

-- A seat that a transition has moved.
CREATE TYPE ticketing.moved_seat AS (reservation_id uuid, event_id uuid, seat_no integer, fence bigint, step integer);

-- Purpose: everything that a transition of these reservations may touch, but for shards, is locked until the transaction ends.
-- Locks: buyers, reservations, seats, tickets. Returns nothing. Cost: four index scans.
CREATE FUNCTION ticketing.lock_reservations(ids uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM (
    SELECT DISTINCT r.event_id, r.user_id FROM ticketing.reservations AS r WHERE r.id = ANY (ids) ORDER BY r.event_id, r.user_id
  ) AS wanted CROSS JOIN LATERAL (
    SELECT FROM ticketing.buyers AS b WHERE b.event_id = wanted.event_id AND b.user_id = wanted.user_id FOR UPDATE
  ) AS locked;
  PERFORM FROM ticketing.reservations AS r WHERE r.id = ANY (ids) ORDER BY r.id FOR UPDATE;
  PERFORM FROM (
    SELECT DISTINCT r.event_id, seat_no FROM ticketing.reservations AS r CROSS JOIN LATERAL unnest(r.seat_nos) AS seat_no
    WHERE r.id = ANY (ids) ORDER BY r.event_id, seat_no
  ) AS wanted CROSS JOIN LATERAL (
    SELECT FROM ticketing.seats AS s WHERE s.event_id = wanted.event_id AND s.seat_no = wanted.seat_no FOR UPDATE
  ) AS locked;
  PERFORM FROM ticketing.tickets AS t WHERE t.reservation_id = ANY (ids) ORDER BY t.id FOR UPDATE;
END $$;

-- Purpose: the seats that these reservations were granted, each with its fence, no matter who has them now. Not to be inlined, and said to be
--   few: then each seat is looked up by its key, where a join to the lines themselves would read all seats of the event.
CREATE FUNCTION ticketing.granted_seats(granted ticketing.reservations[])
RETURNS TABLE (reservation_id uuid, event_id uuid, seat_no integer, fence bigint, ends_at timestamptz) LANGUAGE sql VOLATILE ROWS 20 AS $$
  SELECT r.id, r.event_id, line."seatNo", line.fence, r.expires_at
  FROM unnest(granted) AS r CROSS JOIN LATERAL jsonb_to_recordset(r.lines->'seats') AS line ("seatNo" integer, fence bigint)
$$;

-- Purpose: the seats that are still these reservations' own, by owner, state and fence, change their state; what they lost stays.
--   `changed` has the reservations as they are from now on: held seats end with them.
-- Locks: none of its own. Returns the seats it moved. Cost: one row a seat.
CREATE FUNCTION ticketing.move_seats(changed ticketing.reservations[], from_states smallint[], to_state smallint)
RETURNS ticketing.moved_seat[] LANGUAGE sql AS $$
  WITH moved AS (
    UPDATE ticketing.seats AS s SET
      state = to_state,
      reservation_id = CASE WHEN to_state <> 0 THEN s.reservation_id END,
      user_id = CASE WHEN to_state <> 0 THEN s.user_id END,
      held_until = CASE WHEN to_state = 1 THEN own.ends_at END,
      step = s.step + 1
    FROM ticketing.granted_seats(changed) AS own
    WHERE s.event_id = own.event_id AND s.seat_no = own.seat_no
      AND s.reservation_id = own.reservation_id AND s.fence = own.fence AND s.state = ANY (from_states)
    RETURNING ROW (own.reservation_id, s.event_id, s.seat_no, s.fence, s.step)::ticketing.moved_seat AS seat
  )
  SELECT coalesce(array_agg(seat), '{}') FROM moved
$$;

-- Purpose: whether a reservation has every seat that it was granted, in this state. False: others have taken some over since they lapsed.
CREATE FUNCTION ticketing.has_its_seats(r ticketing.reservations, in_state smallint) RETURNS boolean LANGUAGE sql AS $$
  SELECT count(*) = cardinality(r.seat_nos)
  FROM ticketing.granted_seats(ARRAY[r]) AS own JOIN ticketing.seats AS s ON s.event_id = own.event_id AND s.seat_no = own.seat_no
    AND s.reservation_id = own.reservation_id AND s.fence = own.fence AND s.state = in_state
$$;

-- Purpose: an invariant that no caller can break. The transaction must not commit.
CREATE FUNCTION ticketing.insist(holds boolean, what text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF holds IS NOT TRUE THEN RAISE EXCEPTION 'invariant broken: %', what; END IF;
END $$;

-- Purpose: how many places of which ticket type these reservations (all their lines) and these tickets have.
CREATE FUNCTION ticketing.places_of(whole ticketing.reservations[], single ticketing.tickets[])
RETURNS TABLE (reservation_id uuid, type uuid, places integer) LANGUAGE sql IMMUTABLE AS $$
  SELECT place.reservation_id, place.type, sum(place.count)::integer FROM (
    SELECT r.id, item."ticketTypeId", item.quantity
    FROM unnest(whole) AS r CROSS JOIN LATERAL jsonb_to_recordset(r.lines->'items') AS item ("ticketTypeId" uuid, quantity integer)
    UNION ALL
    SELECT t.reservation_id, t.ticket_type_id, 1 FROM unnest(single) AS t WHERE t.ticket_type_id IS NOT NULL
  ) AS place (reservation_id, type, count)
  GROUP BY place.reservation_id, place.type
$$;

-- Purpose: one ledger row for each reservation, as it is from now on, with the seats that moved to `seat_state`, held until `until`, and the
--   tickets that it touched. `gives_back`: places of standing areas came back, those of the tickets or, without tickets, all of its lines.
-- Locks: none. Cost: one insert.
CREATE FUNCTION ticketing.note(
  act text, moment timestamptz, changed ticketing.reservations[], cause jsonb,
  moved ticketing.moved_seat[] DEFAULT '{}', seat_state smallint DEFAULT NULL, until timestamptz DEFAULT NULL,
  gives_back boolean DEFAULT false, touched ticketing.tickets[] DEFAULT '{}'
) RETURNS void LANGUAGE sql AS $$
  INSERT INTO ticketing.ledger (at, event_id, act, reservation_id, reservation_version, reservation_status, user_id,
    seat_nos, seat_fences, seat_steps, seat_state, held_until, ticket_type_ids, left_changes,
    ticket_ids, ticket_versions, ticket_state, cause)
  SELECT moment, r.event_id, note.act, r.id, r.version, r.status, r.user_id,
    seat.nos, seat.fences, seat.steps, CASE WHEN seat.nos IS NOT NULL THEN note.seat_state END, note.until,
    place.types, place.changes, ticket.ids, ticket.versions, ticket.state, note.cause
  FROM unnest(changed) AS r
  LEFT JOIN (
    SELECT reservation_id, array_agg(seat_no ORDER BY seat_no) AS nos, array_agg(fence ORDER BY seat_no) AS fences,
      array_agg(step ORDER BY seat_no) AS steps
    FROM unnest(moved) GROUP BY reservation_id
  ) AS seat ON seat.reservation_id = r.id
  LEFT JOIN (
    SELECT reservation_id, array_agg(id ORDER BY id) AS ids, array_agg(version ORDER BY id) AS versions, min(state) AS state
    FROM unnest(touched) GROUP BY reservation_id
  ) AS ticket ON ticket.reservation_id = r.id
  LEFT JOIN (
    SELECT reservation_id, array_agg(type ORDER BY type) AS types, array_agg(places ORDER BY type) AS changes
    FROM ticketing.places_of(CASE WHEN gives_back AND cardinality(touched) = 0 THEN changed ELSE '{}' END,
      CASE WHEN gives_back THEN touched ELSE '{}' END)
    GROUP BY reservation_id
  ) AS place ON place.reservation_id = r.id
$$;

-- Purpose: the places of reservations that have ended, and of tickets that are void, can be had again. The last thing a call does.
-- Locks: a shard of each ticket type, by its id.
CREATE FUNCTION ticketing.give_back(whole ticketing.reservations[], single ticketing.tickets[] DEFAULT '{}')
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  back record;
BEGIN
  FOR back IN SELECT type, sum(places)::integer AS places FROM ticketing.places_of(whole, single) GROUP BY type ORDER BY type LOOP
    PERFORM ticketing.give_back_places(back.type, back.places);
  END LOOP;
END $$;

-- Purpose: what every event about a reservation says of it.
CREATE FUNCTION ticketing.subject_of(r ticketing.reservations) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('reservationId', r.id, 'reservationNumber', r.number, 'eventId', r.event_id, 'userId', r.user_id,
    'sellerId', (SELECT e.seller_id FROM ticketing.events AS e WHERE e.event_id = r.event_id))
$$;

-- Purpose: tells an event on reservation-events, which has three partitions (topics.ts).
CREATE FUNCTION ticketing.tell(r ticketing.reservations, type text, data jsonb, moment timestamptz) RETURNS void LANGUAGE sql AS $$
  SELECT urr.append_event('reservation-events', 3, r.id::text, tell.type, 1, ticketing.subject_of(r) || tell.data, moment)
$$;

-- Purpose: these reservations, which are pending, paying or waiting for a deposit, are over: `expired` or `released`. Their seats are free, as
--   far as they are still theirs. The caller has them locked, knows that they may end, and calls `give_back` for what is returned.
-- Returns the reservations as they are now, and the seats. Cost: a handful of statements, whatever their number.
CREATE FUNCTION ticketing.end_holds(
  ids uuid[], as_status text, cause jsonb, moment timestamptz,
  OUT ended ticketing.reservations[], OUT freed ticketing.moved_seat[]
) LANGUAGE plpgsql AS $$
BEGIN
  WITH changed AS (
    -- Money that was captured and is on its way back stays known.
    UPDATE ticketing.reservations AS r SET status = as_status, version = r.version + 1,
      cancel_reason = coalesce(cause->>'reason', r.cancel_reason),
      attempt_id = CASE WHEN r.paid_krw > 0 THEN r.attempt_id END,
      payment_status = CASE WHEN r.paid_krw > 0 THEN r.payment_status ELSE 'none' END
    WHERE r.id = ANY (ids) AND r.status IN ('pending', 'paying', 'waiting_for_deposit')
    RETURNING r AS reservation
  )
  SELECT coalesce(array_agg(reservation), '{}') INTO ended FROM changed;
  UPDATE ticketing.buyers AS b SET live = b.live - gone.tickets
    FROM (SELECT r.event_id, r.user_id, sum(r.ticket_count) AS tickets FROM unnest(ended) AS r GROUP BY r.event_id, r.user_id) AS gone
    WHERE b.event_id = gone.event_id AND b.user_id = gone.user_id;
  freed := ticketing.move_seats(ended, '{1,2}', 0::smallint);
  PERFORM ticketing.note(as_status, moment, ended, cause, freed, 0::smallint, gives_back => true);
  PERFORM ticketing.tell(r, 'RESERVATION_EXPIRED',
      jsonb_build_object('released', as_status = 'released', 'expiredAt', urr.iso_time(moment)), moment)
    FROM unnest(ended) AS r ORDER BY r.id;
END $$;

-- Purpose: pending reservations whose time is over are expired, the oldest first, `rows_max` at the most: those that have places of one
--   ticket type or (null) all.
--   Nothing depends on it but counters and the map's news: a lapsed hold is free without it. What somebody else has in hand is left
--   for the next time, so that it may be called from anywhere, whatever the caller has locked, and waits for nobody but a shard.
-- Locks, each SKIP LOCKED: buyers, reservations, seats; then shards. Returns how many, and the seats that came free.
-- Cost: a handful of statements and a row for each reservation and seat.
CREATE FUNCTION ticketing.sweep_lapsed(of_type uuid, rows_max integer, OUT ended_count integer, OUT freed ticketing.moved_seat[])
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  moment CONSTANT timestamptz := urr.now();
  ids uuid[];
  ended ticketing.reservations[];
BEGIN
  ended_count := 0;
  freed := '{}';
  IF of_type IS NULL THEN
    SELECT array_agg(lapsed.id) INTO ids FROM (
      SELECT r.id FROM ticketing.reservations AS r
      WHERE r.status = 'pending' AND r.expires_at <= moment
      ORDER BY r.expires_at LIMIT rows_max
    ) AS lapsed;
  ELSE
    -- By reservations_lapsing_places: lapsed holds of seats, however many, are not even read.
    SELECT array_agg(lapsed.id) INTO ids FROM (
      SELECT r.id FROM ticketing.reservations AS r
      WHERE r.event_id = (SELECT type.event_id FROM ticketing.ticket_types AS type WHERE type.ticket_type_id = of_type)
        AND r.status = 'pending' AND r.seat_nos = '{}' AND r.expires_at <= moment
        AND EXISTS (SELECT FROM jsonb_array_elements(r.lines -> 'items') AS item WHERE (item ->> 'ticketTypeId')::uuid = of_type)
      ORDER BY r.expires_at LIMIT rows_max
    ) AS lapsed;
  END IF;
  IF ids IS NULL THEN RETURN; END IF;
  WITH buyer AS (
    SELECT locked.event_id, locked.user_id FROM (
      SELECT DISTINCT r.event_id, r.user_id FROM ticketing.reservations AS r WHERE r.id = ANY (ids)
    ) AS wanted CROSS JOIN LATERAL (
      SELECT b.event_id, b.user_id FROM ticketing.buyers AS b
      WHERE b.event_id = wanted.event_id AND b.user_id = wanted.user_id FOR UPDATE SKIP LOCKED
    ) AS locked
  )
  SELECT array_agg(r.id) INTO ids
    FROM ticketing.reservations AS r JOIN buyer USING (event_id, user_id) WHERE r.id = ANY (ids);
  WITH reservation AS (
    SELECT r.id FROM ticketing.reservations AS r WHERE r.id = ANY (ids) ORDER BY r.id FOR UPDATE SKIP LOCKED
  )
  SELECT array_agg(reservation.id) INTO ids FROM reservation;
  WITH own AS MATERIALIZED (
    SELECT given.reservation_id AS id, s.event_id, s.seat_no
    FROM ticketing.granted_seats(ARRAY(SELECT r FROM ticketing.reservations AS r WHERE r.id = ANY (ids))) AS given
    JOIN ticketing.seats AS s ON s.event_id = given.event_id AND s.seat_no = given.seat_no
      AND s.reservation_id = given.reservation_id AND s.fence = given.fence
  ), locked AS (
    SELECT one.event_id, one.seat_no FROM own CROSS JOIN LATERAL (
      SELECT s.event_id, s.seat_no FROM ticketing.seats AS s
      WHERE s.event_id = own.event_id AND s.seat_no = own.seat_no FOR UPDATE SKIP LOCKED
    ) AS one
  ), missed AS (
    SELECT own.id FROM own LEFT JOIN locked USING (event_id, seat_no) WHERE locked.seat_no IS NULL
  )
  SELECT array_agg(id) INTO ids FROM unnest(ids) AS id WHERE id NOT IN (SELECT missed.id FROM missed);
  -- What changed before it was locked: paid for, extended, ended by its own buyer.
  SELECT array_agg(r.id) INTO ids FROM ticketing.reservations AS r
    WHERE r.id = ANY (ids) AND r.status = 'pending' AND r.expires_at <= moment;
  IF ids IS NULL THEN RETURN; END IF;
  SELECT past.ended, past.freed INTO ended, freed FROM ticketing.end_holds(ids, 'expired', NULL, moment) AS past;
  ended_count := cardinality(ended);
  PERFORM ticketing.give_back(ended);
END $$;

-- Purpose: payment is about to begin. The hold is extended to five minutes from now, once, never beyond ten from when it was first held.
-- Returns `ready`, `unknown` (also: of somebody else), `expired`, `closed`, `paying` or `attempts_used`; the rest only with `ready`.
-- Locks: as lock_reservations. Cost: some ten short statements.
CREATE FUNCTION ticketing.prepare(
  of_reservation uuid, by_user uuid,
  OUT verdict text, OUT reservation_number text, OUT event_id uuid, OUT title text, OUT ticket_count integer, OUT amount_krw integer,
  OUT expires_at timestamptz, OUT sale_closes_at timestamptz
)
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  moment timestamptz;
  r ticketing.reservations;
  event ticketing.events;
  moved ticketing.moved_seat[];
BEGIN
  PERFORM ticketing.lock_reservations(ARRAY[of_reservation]);
  moment := urr.now();
  SELECT * INTO r FROM ticketing.reservations AS one WHERE one.id = of_reservation AND one.user_id = by_user;
  SELECT * INTO event FROM ticketing.events AS one WHERE one.event_id = r.event_id;
  verdict := CASE
    WHEN r.id IS NULL THEN 'unknown'
    WHEN r.status IN ('paying', 'waiting_for_deposit') THEN 'paying'
    WHEN r.status = 'expired' OR (r.status = 'pending' AND r.expires_at <= moment) THEN 'expired'
    WHEN r.status <> 'pending' OR event.cancelled_at IS NOT NULL THEN 'closed'
    WHEN r.attempts >= 3 THEN 'attempts_used'
    WHEN NOT ticketing.has_its_seats(r, 1::smallint) THEN 'expired'
    ELSE 'ready' END;
  IF verdict <> 'ready' THEN RETURN; END IF;
  IF NOT r.is_extended AND r.expires_at < least(moment + interval '5 minutes', r.held_since + interval '10 minutes') THEN
    UPDATE ticketing.reservations AS one SET is_extended = true, version = one.version + 1,
      expires_at = least(moment + interval '5 minutes', one.held_since + interval '10 minutes')
    WHERE one.id = r.id AND one.status = 'pending' AND one.version = r.version RETURNING one.* INTO r;
    moved := ticketing.move_seats(ARRAY[r], '{1}', 1::smallint);
    PERFORM ticketing.insist(cardinality(moved) = cardinality(r.seat_nos), 'a hold has all of its seats');
    PERFORM ticketing.note('extended', moment, ARRAY[r], NULL, moved, 1::smallint, r.expires_at);
  END IF;
  reservation_number := r.number;
  event_id := r.event_id;
  title := event.facts->>'title';
  ticket_count := r.ticket_count;
  amount_krw := r.total_krw;
  expires_at := r.expires_at;
  sale_closes_at := event.sale_closes_at;
END $$;

-- Purpose: the seats of a reservation are kept for one payment attempt, before anything is charged. Expiry does not touch it from then on.
--   Repeatable by the attempt; one that has ended is refused for ever, so that a process that was frozen cannot pin after its failure.
-- Returns a verdict of internal-calls.ts. Locks: as lock_reservations, then the attempt. Cost: some ten short statements.
CREATE FUNCTION ticketing.pin(of_reservation uuid, by_attempt uuid, by_user uuid, amount integer) RETURNS text
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  moment timestamptz;
  r ticketing.reservations;
  attempt ticketing.attempts;
  moved ticketing.moved_seat[];
BEGIN
  PERFORM ticketing.lock_reservations(ARRAY[of_reservation]);
  moment := urr.now();
  SELECT * INTO r FROM ticketing.reservations AS one WHERE one.id = of_reservation AND one.user_id = by_user;
  IF r.id IS NULL THEN RETURN 'unknown'; END IF;
  SELECT * INTO attempt FROM ticketing.attempts AS one WHERE one.attempt_id = by_attempt FOR UPDATE;
  IF attempt.ended_at IS NOT NULL OR attempt.reservation_id <> r.id THEN RETURN 'attempt_ended'; END IF;
  IF r.status IN ('paying', 'waiting_for_deposit') THEN
    RETURN CASE WHEN r.attempt_id = by_attempt THEN 'pinned' ELSE 'pinned_by_another' END;
  END IF;
  IF r.status = 'expired' OR (r.status = 'pending' AND r.expires_at <= moment) THEN RETURN 'expired'; END IF;
  IF r.status <> 'pending' OR EXISTS (
    SELECT FROM ticketing.events AS e WHERE e.event_id = r.event_id AND e.cancelled_at IS NOT NULL
  ) THEN
    RETURN 'closed';
  END IF;
  IF amount <> r.total_krw THEN RETURN 'amount'; END IF;
  IF r.attempts >= 3 THEN RETURN 'attempts_used'; END IF;
  IF NOT ticketing.has_its_seats(r, 1::smallint) THEN RETURN 'expired'; END IF;

  INSERT INTO ticketing.attempts (attempt_id, reservation_id, state, amount_krw, pinned_at)
    VALUES (by_attempt, r.id, 'pinned', amount, moment)
    ON CONFLICT (attempt_id) DO UPDATE SET state = 'pinned', pinned_at = moment WHERE attempts.reservation_id = excluded.reservation_id;
  -- The same attempt for another reservation, at the same moment.
  IF NOT FOUND THEN RETURN 'attempt_ended'; END IF;
  UPDATE ticketing.reservations AS one SET status = 'paying', payment_status = 'pending', attempt_id = by_attempt,
    attempts = one.attempts + 1, version = one.version + 1
  WHERE one.id = r.id AND one.status = 'pending' AND one.version = r.version RETURNING one.* INTO r;
  moved := ticketing.move_seats(ARRAY[r], '{1}', 2::smallint);
  PERFORM ticketing.insist(cardinality(moved) = cardinality(r.seat_nos), 'a hold has all of its seats');
  PERFORM ticketing.note('pinned', moment, ARRAY[r], jsonb_build_object('attemptId', by_attempt), moved, 2::smallint);
  RETURN 'pinned';
END $$;

-- Purpose: the payment attempt of a reservation that is `paying` has ended without money. It may be paid for again for two minutes at the
--   least, but not beyond ten from its creation; where that is over it is expired, and where its buyer has cancelled it is released. The
--   caller has it locked and calls `give_back` for what has ended.
-- Returns what has ended (one reservation or none) and the seats that came free. Cost: four statements.
CREATE FUNCTION ticketing.unpin_reservation(
  r ticketing.reservations, moment timestamptz, OUT ended ticketing.reservations[], OUT freed ticketing.moved_seat[]
) LANGUAGE plpgsql AS $$
DECLARE
  until CONSTANT timestamptz := least(greatest(r.expires_at, moment + interval '2 minutes'), r.held_since + interval '10 minutes');
  cause CONSTANT jsonb := jsonb_build_object('attemptId', r.attempt_id);
  moved ticketing.moved_seat[];
BEGIN
  IF r.refund_requested OR until <= moment THEN
    SELECT past.ended, past.freed INTO ended, freed
      FROM ticketing.end_holds(ARRAY[r.id], CASE WHEN r.refund_requested THEN 'released' ELSE 'expired' END, cause, moment) AS past;
    RETURN;
  END IF;
  UPDATE ticketing.reservations AS one SET status = 'pending', payment_status = 'none', attempt_id = NULL, expires_at = until,
    version = one.version + 1
  WHERE one.id = r.id AND one.status = 'paying' AND one.version = r.version RETURNING one.* INTO r;
  moved := ticketing.move_seats(ARRAY[r], '{2}', 1::smallint);
  PERFORM ticketing.insist(cardinality(moved) = cardinality(r.seat_nos), 'what is being paid for has all of its seats');
  PERFORM ticketing.note('unpinned', moment, ARRAY[r], cause, moved, 1::smallint, until);
  ended := '{}';
  freed := '{}';
END $$;

-- Purpose: payments says that an attempt was declined. Returns whether a reservation was pinned by it, and the seats that came free.
-- Locks: as lock_reservations, then the attempt.
CREATE FUNCTION ticketing.unpin(by_attempt uuid, OUT was_pinned boolean, OUT freed ticketing.moved_seat[])
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  moment timestamptz;
  r ticketing.reservations;
  ended ticketing.reservations[];
BEGIN
  freed := '{}';
  SELECT one.reservation_id INTO r.id FROM ticketing.attempts AS one WHERE one.attempt_id = by_attempt;
  PERFORM ticketing.lock_reservations(ARRAY[r.id]);
  moment := urr.now();
  SELECT * INTO r FROM ticketing.reservations AS one WHERE one.id = r.id AND one.status = 'paying' AND one.attempt_id = by_attempt;
  was_pinned := r.id IS NOT NULL;
  IF NOT was_pinned THEN RETURN; END IF;
  UPDATE ticketing.attempts AS one SET state = 'unpinned', ended_at = moment WHERE one.attempt_id = by_attempt AND one.ended_at IS NULL;
  SELECT past.ended, past.freed INTO ended, freed FROM ticketing.unpin_reservation(r, moment) AS past;
  PERFORM ticketing.give_back(ended);
END $$;
