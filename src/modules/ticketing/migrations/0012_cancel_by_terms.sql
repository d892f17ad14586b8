-- Cancellations give back what the terms of refund say (0011). These take the place of functions of 0007 and 0008.

-- What goes back for it. Null: everything, and it is from before there were terms.
ALTER TABLE ticketing.cancellations ADD COLUMN refund_krw integer;

DROP FUNCTION ticketing.void_tickets(ticketing.reservations, uuid[], uuid, text, boolean, bigint, timestamptz);
-- Purpose: these tickets of a confirmed reservation, each issued or listed, are void. Seats and places can be had again; seats after a random
--   while where the event wants that, one while for all seats of a cancellation, drawn from `seed`. `is_refunded`: the money went
--   back before, and the tickets follow it. `in_full`: everything goes back, whatever the terms. The caller has the reservation locked and
--   gives back the places.
-- Returns the tickets, and the seats that are free at once. Cost: some ten statements.
CREATE FUNCTION ticketing.void_tickets(
  r ticketing.reservations, ids uuid[], as_cancellation uuid, reason text, is_refunded boolean, in_full boolean, seed bigint,
  moment timestamptz,
  OUT voided ticketing.tickets[], OUT freed ticketing.moved_seat[]
) LANGUAGE plpgsql AS $$
DECLARE
  event ticketing.events;
  until timestamptz;
  lines ticketing.refund_line[];
  refunds jsonb;
  refund_sum integer;
  moved ticketing.moved_seat[];
BEGIN
  SELECT * INTO event FROM ticketing.events AS e WHERE e.event_id = r.event_id;
  IF event.return_delay_max_ms > 0 AND event.cancelled_at IS NULL THEN
    until := moment + (1 + (hashtextextended(as_cancellation::text, seed) & 9223372036854775807) % event.return_delay_max_ms)
      * interval '1 millisecond';
  END IF;
  lines := ARRAY(
    SELECT line FROM ticketing.refund_lines(
      ARRAY(SELECT t FROM ticketing.tickets AS t WHERE t.id = ANY (ids) AND t.reservation_id = r.id),
      event.starts_at, in_full, moment) AS line
  );
  WITH changed AS (
    UPDATE ticketing.tickets AS t SET state = 'void', voided_at = moment, void_reason = reason, refund_krw = line.refund_krw
    FROM unnest(lines) AS line
    WHERE t.id = line.ticket_id AND t.reservation_id = r.id AND t.state IN ('issued', 'listed')
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

  SELECT coalesce(jsonb_agg(paid.refund ORDER BY paid.refund->>'orderId'), '[]'), coalesce(sum(paid.amount), 0) INTO refunds, refund_sum
    FROM (
      SELECT sum(line.refund_krw) AS amount, jsonb_build_object('orderId', line.order_id,
        'ticketIds', jsonb_agg(line.ticket_id ORDER BY line.ticket_id), 'faceKrw', sum(line.price_krw), 'feeKrw', sum(line.fee_krw),
        'amountKrw', sum(line.refund_krw), 'lines', jsonb_agg(jsonb_build_object('ticketId', line.ticket_id, 'faceKrw', line.price_krw,
          'feeKrw', line.fee_krw, 'amountKrw', line.refund_krw, 'rule', line.rule) ORDER BY line.ticket_id)) AS refund
      FROM unnest(lines) AS line WHERE line.order_id IS NOT NULL GROUP BY line.order_id
    ) AS paid;
  INSERT INTO ticketing.cancellations (cancellation_id, reservation_id, reason, ticket_ids, at, is_refunded, refund_krw)
    VALUES (as_cancellation, r.id, void_tickets.reason, ids, moment, void_tickets.is_refunded OR refund_sum = 0, refund_sum);
  UPDATE ticketing.buyers AS b SET live = b.live - cardinality(ids) WHERE b.event_id = r.event_id AND b.user_id = r.user_id;
  r.status := CASE
    WHEN EXISTS (SELECT FROM ticketing.tickets AS t WHERE t.reservation_id = r.id AND t.state <> 'void') THEN 'partially_cancelled'
    ELSE 'cancelled' END;
  UPDATE ticketing.reservations AS one SET status = r.status, payment_status = ticketing.payment_status_of(r),
    cancel_reason = void_tickets.reason, version = one.version + 1
  WHERE one.id = r.id AND one.status IN ('confirmed', 'partially_cancelled') AND one.version = r.version RETURNING one.* INTO r;
  PERFORM ticketing.note('cancelled', moment, ARRAY[r],
    jsonb_build_object('reason', reason, 'cancellationId', as_cancellation, 'paymentStatus', r.payment_status,
      'refundKrw', refund_sum, 'inFull', in_full, 'showsAt', (extract(epoch FROM event.starts_at) * 1000000)::bigint),
    moved, CASE WHEN until IS NULL THEN 0 ELSE 1 END::smallint, until, true, voided);
  PERFORM ticketing.tell(r, 'RESERVATION_CANCELLED', jsonb_build_object('cancellationId', as_cancellation, 'reason', reason,
    'ticketIds', (SELECT jsonb_agg(t.id ORDER BY t.id) FROM unnest(voided) AS t), 'isWhole', r.status = 'cancelled',
    'alreadyRefunded', is_refunded, 'refunds', refunds, 'cancelledAt', urr.iso_time(moment)), moment);
END $$;

DROP FUNCTION ticketing.cancel(uuid, uuid, uuid, uuid[], text, bigint);
-- Purpose: gives a reservation up: a hold at once, tickets (`of_tickets`, or null for all that it still has) before the doors open, and a
--   payment under way as soon as its outcome is known. All of the tickets or none. Repeatable by its id, and harmless with another one.
--   `by_user` null: staff. `in_full`: everything goes back, whatever the terms; null: for staff. So it does of an event that is cancelled.
--   `at_least`: tickets are cancelled only if so much goes back for them.
-- Returns `released`, `refund_requested`, `cancelled` with the tickets; or, with nothing done, `unknown` (also: of somebody else), `expired`,
--   `closed`, `not_cancellable` with what speaks against each ticket, `refund_changed` with the quote as it is now; and the seats that are
--   free at once.
-- Locks: as lock_reservations; shards last. Cost: some fifteen short statements.
CREATE FUNCTION ticketing.cancel(
  of_reservation uuid, as_cancellation uuid, by_user uuid, of_tickets uuid[], reason text, seed bigint,
  in_full boolean DEFAULT NULL, at_least integer DEFAULT NULL,
  OUT verdict text, OUT ticket_ids uuid[], OUT refusals jsonb, OUT freed ticketing.moved_seat[], OUT quote jsonb
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
  in_full := coalesce(in_full, by_user IS NULL)
    OR EXISTS (SELECT FROM ticketing.events AS e WHERE e.event_id = r.event_id AND e.cancelled_at IS NOT NULL);
  IF at_least IS NOT NULL THEN
    quote := ticketing.quote_of(r,
      ARRAY(SELECT t FROM ticketing.tickets AS t WHERE t.id = ANY (ticket_ids) ORDER BY t.id), in_full, moment);
    IF (quote->>'refundKrw')::integer < at_least THEN
      verdict := 'refund_changed';
      ticket_ids := '{}';
      RETURN;
    END IF;
  END IF;
  verdict := 'cancelled';
  SELECT past.voided, past.freed INTO voided, freed
    FROM ticketing.void_tickets(r, ticket_ids, as_cancellation, reason, false, in_full, seed, moment) AS past;
  PERFORM ticketing.give_back('{}', voided);
END $$;

-- Purpose: one bite of a pass over the reservations of a cancelled event, `rows_max` after `after_id` in the order of their ids: holds are
--   released, payments under way get `refund_requested`, tickets that are not in use are void, and all of their money goes back.
-- Returns how many it found that were not over yet, the last of their ids (null: the pass is through), and the seats that came free.
-- Locks: as lock_reservations for all of them; shards last. Cost: some fifteen statements a reservation.
CREATE OR REPLACE FUNCTION ticketing.cancel_event_bite(
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
        urr.uuid7(moment), 'event_cancelled', false, true, 0, moment);
      voided := voided || past.voided;
      freed := freed || past.freed;
    END IF;
  END LOOP;
  PERFORM ticketing.give_back(ended, voided);
END $$;

-- Purpose: money of an attempt went back. Its reservation says so; and where the refund was found at the provider (no cancellation of ours
--   asked for it) or a deposit was taken back, the tickets that the order paid for are void, unless they are in use or sold on,
--   which is told, since a person has to look at it. Goodwill voids nothing.
--   `is_newer`: the sums are. The caller has everything locked and gives back the places of the tickets.
-- Returns the tickets that are void, the seats that came free, and how many tickets stay although their money went back.
CREATE OR REPLACE FUNCTION ticketing.apply_refund(
  outcome jsonb, is_newer boolean, seed bigint, moment timestamptz,
  OUT voided ticketing.tickets[], OUT freed ticketing.moved_seat[], OUT kept_count integer
) LANGUAGE plpgsql AS $$
DECLARE
  by_attempt CONSTANT uuid := outcome->>'attemptId';
  by_order CONSTANT text := outcome->>'orderId';
  captured CONSTANT integer := outcome->>'capturedKrw';
  is_reversed CONSTANT boolean := outcome->>'type' = 'PAYMENT_REVERSED';
  refunded CONSTANT integer := ticketing.refunded_by(outcome);
  is_whole CONSTANT boolean := is_newer AND refunded >= captured;
  named CONSTANT uuid[] := ARRAY(SELECT id::uuid FROM jsonb_array_elements_text(coalesce(outcome->'ticketIds', '[]')) AS id);
  before ticketing.reservations;
  r ticketing.reservations;
  ids uuid[];
  kept ticketing.tickets[];
BEGIN
  voided := '{}';
  freed := '{}';
  kept_count := 0;
  UPDATE ticketing.cancellations AS c SET is_refunded = true
    WHERE c.cancellation_id = (outcome->>'cancellationId')::uuid AND NOT c.is_refunded;
  SELECT * INTO before FROM ticketing.reservations AS one
    WHERE one.id = (outcome->>'referenceId')::uuid AND one.attempt_id = by_attempt AND one.paid_krw > 0;
  IF before.id IS NULL THEN RETURN; END IF;
  r := before;
  IF is_newer THEN r.refunded_krw := greatest(r.refunded_krw, refunded); END IF;
  r.payment_status := ticketing.payment_status_of(r);
  IF r IS DISTINCT FROM before THEN
    UPDATE ticketing.reservations AS one SET refunded_krw = r.refunded_krw, payment_status = r.payment_status, version = one.version + 1
      WHERE one.id = r.id AND one.version = r.version RETURNING one.* INTO r;
    PERFORM ticketing.note('refunded', moment, ARRAY[r], jsonb_build_object('attemptId', by_attempt, 'orderId', by_order,
      'refundedKrw', r.refunded_krw, 'paymentStatus', r.payment_status, 'cancellationId', outcome->>'cancellationId'));
  END IF;
  IF outcome->>'cancellationId' IS NOT NULL OR outcome->>'kind' = 'goodwill' OR r.status NOT IN ('confirmed', 'partially_cancelled') THEN
    RETURN;
  END IF;
  -- A ticket that cost nothing has no order. It was given along with those that were paid for, and goes with them.
  SELECT coalesce(array_agg(t.id) FILTER (WHERE is_free), '{}'), coalesce(array_agg(t) FILTER (WHERE NOT is_free), '{}') INTO ids, kept
    FROM ticketing.tickets AS t
    CROSS JOIN LATERAL (
      SELECT t.state = 'issued' AND t.owner_id = r.user_id AND (t.order_id IS NULL OR t.order_id = by_order) AS is_free
    ) AS one
    WHERE t.reservation_id = r.id AND t.state <> 'void' AND (is_whole OR t.id = ANY (named));
  kept_count := cardinality(kept);
  IF kept_count > 0 THEN
    PERFORM ticketing.tell(r, 'RESERVATION_REFUND_IN_USE', jsonb_build_object('attemptId', by_attempt, 'orderId', by_order,
      'ticketIds', (SELECT jsonb_agg(t.id ORDER BY t.id) FROM unnest(kept) AS t),
      'amountKrw', (SELECT sum(t.price_krw + t.fee_krw) FROM unnest(kept) AS t),
      'reason', CASE WHEN is_reversed THEN 'reversed' ELSE 'refunded' END, 'at', urr.iso_time(moment)), moment);
  END IF;
  IF cardinality(ids) = 0 THEN RETURN; END IF;
  SELECT past.voided, past.freed INTO voided, freed FROM ticketing.void_tickets(r, ids,
    -- The refund's own id, or the attempt's: another delivery finds the tickets void and changes nothing.
    coalesce((outcome->>'refundId')::uuid, by_attempt),
    CASE WHEN is_reversed THEN 'payment_reversed' ELSE 'payment_refunded' END, true, true, seed, moment) AS past;
END $$;
