-- Cancellations: by the buyer, by staff, of a whole event; and how seats come back from them.

-- When the cancellation of the event was first acted upon: the mark was there by then.
ALTER TABLE ticketing.events ADD COLUMN cancel_begun_at timestamptz;
CREATE INDEX events_being_cancelled ON ticketing.events (cancelled_at) WHERE cancelled_at IS NOT NULL AND cancel_done_at IS NULL;

-- Seats that came back from a cancellation and that nobody may have yet. The seat itself says until when; this finds it, since
-- seats have no index but their key.
CREATE TABLE ticketing.returning_seats (
  event_id  uuid NOT NULL,
  seat_no   integer NOT NULL,
  fence     bigint NOT NULL,
  due_at    timestamptz NOT NULL,
  PRIMARY KEY (event_id, seat_no, fence)
);
CREATE INDEX returning_seats_due ON ticketing.returning_seats (due_at);

-- Purpose: these tickets of a confirmed reservation, each issued or listed, are void. Seats and places can be had again; seats after a random
--   while where the event wants that, one while for all seats of a cancellation, drawn from `seed`. `is_refunded`: the money went
--   back before, and the tickets follow it. The caller has the reservation locked and gives back the places.
-- Returns the tickets, and the seats that are free at once. Cost: some ten statements.
CREATE FUNCTION ticketing.void_tickets(
  r ticketing.reservations, ids uuid[], as_cancellation uuid, reason text, is_refunded boolean, seed bigint, moment timestamptz,
  OUT voided ticketing.tickets[], OUT freed ticketing.moved_seat[]
) LANGUAGE plpgsql AS $$
DECLARE
  event ticketing.events;
  until timestamptz;
  refunds jsonb;
  moved ticketing.moved_seat[];
BEGIN
  SELECT * INTO event FROM ticketing.events AS e WHERE e.event_id = r.event_id;
  IF event.return_delay_max_ms > 0 AND event.cancelled_at IS NULL THEN
    until := moment + (1 + (hashtextextended(as_cancellation::text, seed) & 9223372036854775807) % event.return_delay_max_ms)
      * interval '1 millisecond';
  END IF;
  WITH changed AS (
    UPDATE ticketing.tickets AS t SET state = 'void', voided_at = moment, void_reason = reason
    WHERE t.id = ANY (ids) AND t.reservation_id = r.id AND t.state IN ('issued', 'listed')
    RETURNING t AS ticket
  )
  SELECT coalesce(array_agg(ticket), '{}') INTO voided FROM changed;
  PERFORM ticketing.insist(cardinality(voided) = cardinality(ids) AND cardinality(ids) > 0, 'what is cancelled could be');
  WITH changed AS (
    UPDATE ticketing.seats AS s SET state = CASE WHEN until IS NULL THEN 0 ELSE 1 END, reservation_id = NULL, user_id = NULL,
      held_until = until, step = s.step + 1
    FROM ticketing.granted_seats(ARRAY[r]) AS own
    WHERE own.seat_no IN (SELECT t.seat_no FROM unnest(voided) AS t)
      AND s.event_id = own.event_id AND s.seat_no = own.seat_no AND s.reservation_id = r.id AND s.fence = own.fence AND s.state = 3
    RETURNING ROW (r.id, s.event_id, s.seat_no, s.fence, s.step)::ticketing.moved_seat AS seat
  )
  SELECT coalesce(array_agg(seat), '{}') INTO moved FROM changed;
  PERFORM ticketing.insist(cardinality(moved) = (SELECT count(t.seat_no) FROM unnest(voided) AS t), 'a ticket has its seat');
  IF until IS NOT NULL THEN
    INSERT INTO ticketing.returning_seats (event_id, seat_no, fence, due_at)
      SELECT s.event_id, s.seat_no, s.fence, until FROM unnest(moved) AS s;
  END IF;
  freed := CASE WHEN until IS NULL THEN moved ELSE '{}' END;

  SELECT coalesce(jsonb_agg(jsonb_build_object('orderId', paid.order_id, 'ticketIds', paid.ids, 'faceKrw', paid.face, 'feeKrw', paid.fee)
      ORDER BY paid.order_id), '[]') INTO refunds
    FROM (
      SELECT t.order_id, jsonb_agg(t.id ORDER BY t.id) AS ids, sum(t.price_krw) AS face, sum(t.fee_krw) AS fee
      FROM unnest(voided) AS t WHERE t.order_id IS NOT NULL GROUP BY t.order_id
    ) AS paid;
  INSERT INTO ticketing.cancellations (cancellation_id, reservation_id, reason, ticket_ids, at, is_refunded)
    VALUES (as_cancellation, r.id, void_tickets.reason, ids, moment, void_tickets.is_refunded OR refunds = '[]');
  UPDATE ticketing.buyers AS b SET live = b.live - cardinality(ids) WHERE b.event_id = r.event_id AND b.user_id = r.user_id;
  r.status := CASE
    WHEN EXISTS (SELECT FROM ticketing.tickets AS t WHERE t.reservation_id = r.id AND t.state <> 'void') THEN 'partially_cancelled'
    ELSE 'cancelled' END;
  UPDATE ticketing.reservations AS one SET status = r.status, payment_status = ticketing.payment_status_of(r),
    cancel_reason = void_tickets.reason, version = one.version + 1
  WHERE one.id = r.id AND one.status IN ('confirmed', 'partially_cancelled') AND one.version = r.version RETURNING one.* INTO r;
  PERFORM ticketing.note('cancelled', moment, ARRAY[r],
    jsonb_build_object('reason', reason, 'cancellationId', as_cancellation, 'paymentStatus', r.payment_status),
    moved, CASE WHEN until IS NULL THEN 0 ELSE 1 END::smallint, until, true, voided);
  PERFORM ticketing.tell(r, 'RESERVATION_CANCELLED', jsonb_build_object('cancellationId', as_cancellation, 'reason', reason,
    'ticketIds', (SELECT jsonb_agg(t.id ORDER BY t.id) FROM unnest(voided) AS t), 'isWhole', r.status = 'cancelled',
    'alreadyRefunded', is_refunded, 'refunds', refunds, 'cancelledAt', urr.iso_time(moment)), moment);
END $$;

-- Purpose: a reservation that is being paid for is no longer wanted. A capture that still comes is refunded, a decline releases it.
--   The caller has it locked. Cost: four statements.
CREATE FUNCTION ticketing.request_refund(r ticketing.reservations, as_cancellation uuid, reason text, moment timestamptz)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE ticketing.reservations AS one SET refund_requested = true, payment_status = 'refund_requested',
    cancel_reason = request_refund.reason, version = one.version + 1
  WHERE one.id = r.id AND one.status IN ('paying', 'waiting_for_deposit') AND NOT one.refund_requested RETURNING one.* INTO r;
  INSERT INTO ticketing.cancellations (cancellation_id, reservation_id, reason, ticket_ids, at, is_refunded)
    VALUES (as_cancellation, r.id, request_refund.reason, '{}', moment, false);
  PERFORM ticketing.note('refund_requested', moment, ARRAY[r],
    jsonb_build_object('reason', reason, 'cancellationId', as_cancellation, 'attemptId', r.attempt_id));
  PERFORM ticketing.tell(r, 'RESERVATION_CANCELLED', jsonb_build_object('cancellationId', as_cancellation, 'reason', reason,
    'ticketIds', '[]'::jsonb, 'isWhole', true, 'alreadyRefunded', false, 'refunds', '[]'::jsonb,
    'cancelledAt', urr.iso_time(moment)), moment);
END $$;

-- Purpose: gives a reservation up: a hold at once, tickets (`of_tickets`, or null for all that it still has) before the doors open, and a
--   payment under way as soon as its outcome is known. All of the tickets or none. Repeatable by its id, and harmless with another one.
--   `by_user` null: staff.
-- Returns `released`, `refund_requested`, `cancelled` with the tickets; or, with nothing done, `unknown` (also: of somebody else), `expired`,
--   `closed`, `not_cancellable` with what speaks against each ticket; and the seats that are free at once.
-- Locks: as lock_reservations; shards last. Cost: some fifteen short statements.
CREATE FUNCTION ticketing.cancel(
  of_reservation uuid, as_cancellation uuid, by_user uuid, of_tickets uuid[], reason text, seed bigint,
  OUT verdict text, OUT ticket_ids uuid[], OUT refusals jsonb, OUT freed ticketing.moved_seat[]
)
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  moment timestamptz;
  r ticketing.reservations;
  known ticketing.cancellations;
  ended ticketing.reservations[];
  voided ticketing.tickets[];
BEGIN
  ticket_ids := '{}';
  refusals := '[]';
  freed := '{}';
  PERFORM ticketing.lock_reservations(ARRAY[of_reservation]);
  moment := urr.now();
  SELECT * INTO r FROM ticketing.reservations AS one
    WHERE one.id = of_reservation AND (by_user IS NULL OR one.user_id = by_user);
  SELECT * INTO known FROM ticketing.cancellations AS c WHERE c.cancellation_id = as_cancellation;
  verdict := CASE
    WHEN r.id IS NULL THEN 'unknown'
    WHEN known.reservation_id = r.id THEN 'cancelled'
    WHEN known.reservation_id IS NOT NULL THEN 'closed'
    WHEN r.status = 'expired' OR (r.status = 'pending' AND r.expires_at <= moment) THEN 'expired'
    WHEN r.status IN ('confirmed', 'partially_cancelled', 'cancelled') THEN NULL
    WHEN of_tickets IS NOT NULL THEN 'closed'
    WHEN r.status = 'released' THEN 'released'
    WHEN r.refund_requested THEN 'refund_requested' END;
  IF verdict IS NOT NULL THEN
    IF known.reservation_id = r.id THEN ticket_ids := known.ticket_ids; END IF;
    RETURN;
  END IF;

  IF r.status = 'pending' THEN
    verdict := 'released';
    SELECT past.ended, past.freed INTO ended, freed
      FROM ticketing.end_holds(ARRAY[r.id], 'released', jsonb_build_object('reason', reason), moment) AS past;
    PERFORM ticketing.give_back(ended);
    RETURN;
  END IF;
  IF r.status IN ('paying', 'waiting_for_deposit') THEN
    verdict := 'refund_requested';
    PERFORM ticketing.request_refund(r, as_cancellation, reason, moment);
    RETURN;
  END IF;

  -- With all tickets in question, those that are void already are no obstacle, nor are they when nothing else is asked for.
  IF of_tickets IS NULL THEN
    ticket_ids := ARRAY(SELECT t.id FROM ticketing.tickets AS t WHERE t.reservation_id = r.id AND t.state <> 'void' ORDER BY t.id);
  ELSE
    ticket_ids := ARRAY(SELECT DISTINCT id FROM unnest(of_tickets) AS id ORDER BY id);
  END IF;
  IF NOT EXISTS (
    SELECT FROM unnest(ticket_ids) AS wanted (id)
    LEFT JOIN ticketing.tickets AS t ON t.id = wanted.id AND t.reservation_id = r.id WHERE t.state IS DISTINCT FROM 'void'
  ) THEN
    verdict := 'cancelled';
    RETURN;
  END IF;
  refusals := ticketing.cancel_obstacles(r, ticket_ids, by_user, moment);
  IF refusals <> '[]' THEN
    verdict := 'not_cancellable';
    ticket_ids := '{}';
    RETURN;
  END IF;
  verdict := 'cancelled';
  SELECT past.voided, past.freed INTO voided, freed
    FROM ticketing.void_tickets(r, ticket_ids, as_cancellation, reason, false, seed, moment) AS past;
  PERFORM ticketing.give_back('{}', voided);
END $$;

-- Purpose: what speaks against the cancellation of each ticket, as `[{ ticketId, reason }]`.
CREATE FUNCTION ticketing.cancel_obstacles(r ticketing.reservations, ids uuid[], by_user uuid, moment timestamptz)
RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT coalesce(jsonb_agg(jsonb_build_object('ticketId', obstacle.id, 'reason', obstacle.reason) ORDER BY obstacle.id), '[]')
  FROM (
    SELECT wanted.id, CASE
      WHEN t.id IS NULL THEN 'unknown'
      WHEN t.state <> 'issued' THEN t.state
      WHEN t.owner_id <> coalesce(by_user, t.owner_id) THEN 'sold_on'
      WHEN coalesce(e.doors_at, e.starts_at) <= moment THEN 'doors_open' END AS reason
    FROM unnest(ids) AS wanted (id)
    LEFT JOIN ticketing.tickets AS t ON t.id = wanted.id AND t.reservation_id = r.id
    LEFT JOIN ticketing.events AS e ON e.event_id = r.event_id
  ) AS obstacle
  WHERE obstacle.reason IS NOT NULL
$$;

-- Purpose: one bite of a pass over the reservations of a cancelled event, `rows_max` after `after_id` in the order of their ids: holds are
--   released, payments under way get `refund_requested`, tickets that are not in use are void, and their money goes back.
-- Returns how many it found that were not over yet, the last of their ids (null: the pass is through), and the seats that came free.
-- Locks: as lock_reservations for all of them; shards last. Cost: some fifteen statements a reservation.
CREATE FUNCTION ticketing.cancel_event_bite(
  of_event uuid, after_id uuid, rows_max integer, OUT found_count integer, OUT last_id uuid, OUT freed ticketing.moved_seat[]
)
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  moment timestamptz;
  r ticketing.reservations;
  ids uuid[];
  past record;
  ended ticketing.reservations[] := '{}';
  voided ticketing.tickets[] := '{}';
BEGIN
  freed := '{}';
  ids := ARRAY(
    SELECT one.id FROM ticketing.reservations AS one
    WHERE one.event_id = of_event AND (after_id IS NULL OR one.id > after_id)
      AND EXISTS (SELECT FROM ticketing.events AS e WHERE e.event_id = of_event AND e.cancelled_at IS NOT NULL)
      AND (one.status = 'pending' OR (one.status IN ('paying', 'waiting_for_deposit') AND NOT one.refund_requested)
        OR (one.status IN ('confirmed', 'partially_cancelled') AND EXISTS (
          SELECT FROM ticketing.tickets AS t WHERE t.reservation_id = one.id AND t.state IN ('issued', 'listed'))))
    ORDER BY one.id LIMIT rows_max
  );
  found_count := cardinality(ids);
  last_id := ids[found_count];
  IF found_count = 0 THEN RETURN; END IF;
  PERFORM ticketing.lock_reservations(ids);
  moment := urr.now();
  SELECT * INTO past FROM ticketing.end_holds(
    ARRAY(SELECT one.id FROM ticketing.reservations AS one WHERE one.id = ANY (ids) AND one.status = 'pending'),
    'released', '{"reason": "event_cancelled"}', moment);
  ended := past.ended;
  freed := past.freed;
  FOR r IN SELECT * FROM ticketing.reservations AS one WHERE one.id = ANY (ids) ORDER BY one.id LOOP
    IF r.status IN ('paying', 'waiting_for_deposit') AND NOT r.refund_requested THEN
      PERFORM ticketing.request_refund(r, urr.uuid7(moment), 'event_cancelled', moment);
    ELSIF r.status IN ('confirmed', 'partially_cancelled') AND EXISTS (
      SELECT FROM ticketing.tickets AS t WHERE t.reservation_id = r.id AND t.state IN ('issued', 'listed')
    ) THEN
      SELECT * INTO past FROM ticketing.void_tickets(r,
        ARRAY(SELECT t.id FROM ticketing.tickets AS t WHERE t.reservation_id = r.id AND t.state IN ('issued', 'listed') ORDER BY t.id),
        urr.uuid7(moment), 'event_cancelled', false, 0, moment);
      voided := voided || past.voided;
      freed := freed || past.freed;
    END IF;
  END LOOP;
  PERFORM ticketing.give_back(ended, voided);
END $$;

-- Purpose: seats that came back from a cancellation and whose delay is over are free, `rows_max` at the most. Nothing depends on it but the
--   map's news: they can be had from the moment on. What somebody has in hand is left for the next time.
-- Locks, each SKIP LOCKED: rows of returning_seats, seats. Returns the seats that came free, and how many rows were dealt with.
CREATE FUNCTION ticketing.return_delayed(rows_max integer, OUT dealt_with integer, OUT freed ticketing.moved_seat[])
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  moment CONSTANT timestamptz := urr.now();
  due ticketing.returning_seats[];
BEGIN
  dealt_with := 0;
  freed := '{}';
  WITH waiting AS (
    SELECT w AS row FROM ticketing.returning_seats AS w WHERE w.due_at <= moment ORDER BY w.due_at LIMIT rows_max FOR UPDATE SKIP LOCKED
  )
  SELECT array_agg(waiting.row) INTO due FROM waiting;
  IF due IS NULL THEN RETURN; END IF;
  WITH locked AS (
    SELECT DISTINCT one.event_id, one.seat_no FROM unnest(due) AS d CROSS JOIN LATERAL (
      SELECT s.event_id, s.seat_no FROM ticketing.seats AS s
      WHERE s.event_id = d.event_id AND s.seat_no = d.seat_no FOR UPDATE SKIP LOCKED
    ) AS one
  ), gone AS (
    DELETE FROM ticketing.returning_seats AS w USING unnest(due) AS d, locked
    WHERE w.event_id = d.event_id AND w.seat_no = d.seat_no AND w.fence = d.fence
      AND locked.event_id = d.event_id AND locked.seat_no = d.seat_no
    RETURNING w AS row
  )
  SELECT array_agg(gone.row) INTO due FROM gone;
  IF due IS NULL THEN RETURN; END IF;
  dealt_with := cardinality(due);
  WITH changed AS (
    -- Anyone who took it over meanwhile has raised the fence.
    UPDATE ticketing.seats AS s SET state = 0, held_until = NULL, step = s.step + 1
    FROM unnest(due) AS d
    WHERE s.event_id = d.event_id AND s.seat_no = d.seat_no AND s.fence = d.fence
      AND s.state = 1 AND s.reservation_id IS NULL AND s.held_until <= moment
    RETURNING ROW (NULL::uuid, s.event_id, s.seat_no, s.fence, s.step)::ticketing.moved_seat AS seat
  )
  SELECT coalesce(array_agg(seat), '{}') INTO freed FROM changed;
  INSERT INTO ticketing.ledger (at, event_id, act, seat_nos, seat_fences, seat_steps, seat_state)
    SELECT moment, s.event_id, 'returned', array_agg(s.seat_no ORDER BY s.seat_no), array_agg(s.fence ORDER BY s.seat_no),
      array_agg(s.step ORDER BY s.seat_no), 0
    FROM unnest(freed) AS s GROUP BY s.event_id;
END $$;
