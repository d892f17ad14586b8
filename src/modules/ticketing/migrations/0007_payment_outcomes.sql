-- How reservations are confirmed, and what they make of the outcomes of payments.
--
-- Outcomes commute. Each carries the payment's version and all there is to know of it, so a lower version than the one that was applied
-- tells nothing new, but for what can be done at any time and only once: that the money of a cancellation went back, and that
-- named tickets were refunded elsewhere. A refund that comes before its capture is a capture first.

-- Whether its money went back, as far as any has to.
ALTER TABLE ticketing.cancellations ADD COLUMN is_refunded boolean NOT NULL DEFAULT true;

-- Purpose: these reservations, which the caller has just made `confirmed`, get their tickets; their seats are sold, and it is told.
-- Locks: none of its own. Cost: five statements and a row for each ticket and seat.
CREATE FUNCTION ticketing.issue_tickets(confirmed ticketing.reservations[], moment timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  sold ticketing.moved_seat[];
  issued ticketing.tickets[];
BEGIN
  sold := ticketing.move_seats(confirmed, '{1,2}', 3::smallint);
  PERFORM ticketing.insist(cardinality(sold) = (SELECT coalesce(sum(cardinality(r.seat_nos)), 0) FROM unnest(confirmed) AS r),
    'what is confirmed has all of its seats');
  WITH made AS (
    INSERT INTO ticketing.tickets AS t (id, event_id, reservation_id, owner_id, seat_no, seat_id, grade, ticket_type_id, area_id,
      price_krw, fee_krw, order_id, state, issued_at)
    SELECT urr.uuid7(moment), r.event_id, r.id, r.user_id, line.seat_no, line.seat_id, line.grade, line.ticket_type_id, line.area_id,
      line.price_krw, line.fee_krw, CASE WHEN line.price_krw + line.fee_krw > 0 THEN r.order_id END, 'issued', moment
    FROM unnest(confirmed) AS r
    CROSS JOIN LATERAL (
      SELECT "seatNo", "seatId", grade, NULL::uuid, NULL::text, "priceKrw", "feeKrw"
      FROM jsonb_to_recordset(r.lines->'seats')
        AS seat ("seatNo" integer, "seatId" text, grade text, "priceKrw" integer, "feeKrw" integer)
      UNION ALL
      SELECT NULL, NULL, NULL, "ticketTypeId", "areaId", "priceKrw", "feeKrw"
      FROM jsonb_to_recordset(r.lines->'items')
        AS item ("ticketTypeId" uuid, "areaId" text, quantity integer, "priceKrw" integer, "feeKrw" integer)
      CROSS JOIN LATERAL generate_series(1, item.quantity)
    ) AS line (seat_no, seat_id, grade, ticket_type_id, area_id, price_krw, fee_krw)
    RETURNING t AS ticket
  )
  SELECT coalesce(array_agg(ticket), '{}') INTO issued FROM made;
  INSERT INTO ticketing.ledger (at, event_id, act, reservation_id, reservation_version, reservation_status, user_id,
    seat_nos, seat_fences, seat_steps, seat_state, ticket_ids, ticket_versions, ticket_state, cause)
  SELECT moment, r.event_id, 'confirmed', r.id, r.version, r.status, r.user_id,
    seat.nos, seat.fences, seat.steps, CASE WHEN seat.nos IS NOT NULL THEN 3 END, ticket.ids, ticket.versions, 'issued',
    jsonb_build_object('attemptId', r.attempt_id, 'orderId', r.order_id, 'paidKrw', r.paid_krw)
  FROM unnest(confirmed) AS r
  LEFT JOIN (
    SELECT reservation_id, array_agg(seat_no ORDER BY seat_no) AS nos, array_agg(fence ORDER BY seat_no) AS fences,
      array_agg(step ORDER BY seat_no) AS steps
    FROM unnest(sold) GROUP BY reservation_id
  ) AS seat ON seat.reservation_id = r.id
  JOIN (
    SELECT reservation_id, array_agg(id ORDER BY id) AS ids, array_agg(version ORDER BY id) AS versions
    FROM unnest(issued) GROUP BY reservation_id
  ) AS ticket ON ticket.reservation_id = r.id;
  PERFORM ticketing.tell(r, 'RESERVATION_CONFIRMED', jsonb_build_object(
      'slotId', r.slot_id, 'orderId', r.order_id, 'attemptId', r.attempt_id,
      'seats', coalesce((SELECT jsonb_agg(seat - 'fence') FROM jsonb_array_elements(r.lines->'seats') AS seat), '[]'),
      'items', r.lines->'items', 'feeKrw', r.fee_krw, 'totalKrw', r.total_krw,
      'ticketIds', (SELECT jsonb_agg(t.id ORDER BY t.id) FROM unnest(issued) AS t WHERE t.reservation_id = r.id),
      'confirmedAt', urr.iso_time(moment)), moment)
    FROM unnest(confirmed) AS r;
END $$;

-- Purpose: a reservation that costs nothing is confirmed without payment. Repeating it is harmless.
-- Returns `confirmed`, `unknown` (also: of somebody else), `expired`, `closed`, `payment_needed` or `over` (the event is cancelled).
-- Locks: as lock_reservations. Cost: some ten short statements.
CREATE FUNCTION ticketing.confirm_free(of_reservation uuid, by_user uuid) RETURNS text
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  moment timestamptz;
  r ticketing.reservations;
BEGIN
  PERFORM ticketing.lock_reservations(ARRAY[of_reservation]);
  moment := urr.now();
  SELECT * INTO r FROM ticketing.reservations AS one WHERE one.id = of_reservation AND one.user_id = by_user;
  IF r.id IS NULL THEN RETURN 'unknown'; END IF;
  IF r.status IN ('confirmed', 'partially_cancelled') THEN RETURN 'confirmed'; END IF;
  IF r.status = 'expired' OR (r.status = 'pending' AND r.expires_at <= moment) THEN RETURN 'expired'; END IF;
  IF r.status <> 'pending' THEN RETURN 'closed'; END IF;
  IF EXISTS (SELECT FROM ticketing.events AS e WHERE e.event_id = r.event_id AND e.cancelled_at IS NOT NULL) THEN RETURN 'over'; END IF;
  IF r.total_krw > 0 THEN RETURN 'payment_needed'; END IF;
  IF NOT ticketing.has_its_seats(r, 1::smallint) THEN RETURN 'expired'; END IF;
  UPDATE ticketing.reservations AS one SET status = 'confirmed', confirmed_at = moment, version = one.version + 1
    WHERE one.id = r.id AND one.status = 'pending' AND one.version = r.version RETURNING one.* INTO r;
  PERFORM ticketing.issue_tickets(ARRAY[r], moment);
  RETURN 'confirmed';
END $$;

-- Purpose: what a reservation's payment is now, by what was paid, what went back and what is still to go back.
CREATE FUNCTION ticketing.payment_status_of(r ticketing.reservations) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN r.paid_krw = 0 THEN 'none'
    WHEN r.refunded_krw >= r.paid_krw THEN 'refunded'
    WHEN EXISTS (SELECT FROM ticketing.cancellations AS c WHERE c.reservation_id = r.id AND NOT c.is_refunded) THEN 'refund_requested'
    -- What the refund policy keeps does not come any more.
    WHEN r.refunded_krw > 0 AND r.status IN ('cancelled', 'released') THEN 'refunded'
    WHEN r.refunded_krw > 0 THEN 'partially_refunded'
    ELSE 'paid' END
$$;

-- Purpose: how much of its capture went back by this outcome. A deposit that was taken back is gone as a whole, and no refund of ours counts it.
CREATE FUNCTION ticketing.refunded_by(outcome jsonb) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN outcome->>'type' = 'PAYMENT_REVERSED' THEN outcome->>'capturedKrw' ELSE outcome->>'refundedKrw' END::integer
$$;

-- Purpose: all captures of a batch that are what they should be, in one go: pinned by this attempt, of the right amount, not cancelled,
--   and the only outcome of their attempt in the batch. The rest is for `apply_payment`, one by one. The caller has them locked.
-- Returns the attempts that it has dealt with.
CREATE FUNCTION ticketing.confirm_captured(outcomes jsonb, moment timestamptz) RETURNS uuid[] LANGUAGE plpgsql AS $$
DECLARE
  confirmed ticketing.reservations[];
  attempts uuid[];
BEGIN
  WITH told AS (
    SELECT one.*, count(*) OVER (PARTITION BY "attemptId") AS times FROM jsonb_to_recordset(outcomes)
      AS one (type text, "attemptId" uuid, "orderId" text, version integer, "referenceId" uuid, "capturedKrw" integer)
  ), changed AS (
    UPDATE ticketing.reservations AS r SET status = 'confirmed', payment_status = 'paid', order_id = told."orderId",
      paid_krw = told."capturedKrw", confirmed_at = moment, version = r.version + 1
    FROM told JOIN ticketing.attempts AS a ON a.attempt_id = told."attemptId"
    WHERE told.type = 'PAYMENT_CONFIRMED' AND told.times = 1
      AND a.reservation_id = told."referenceId" AND a.state IN ('pinned', 'waiting_for_deposit') AND told.version > a.version
      AND r.id = told."referenceId" AND r.status IN ('paying', 'waiting_for_deposit') AND r.attempt_id = told."attemptId"
      AND NOT r.refund_requested AND r.total_krw = told."capturedKrw"
    RETURNING r AS reservation
  )
  SELECT coalesce(array_agg(reservation), '{}') INTO confirmed FROM changed;
  IF cardinality(confirmed) = 0 THEN RETURN '{}'; END IF;
  WITH ended AS (
    UPDATE ticketing.attempts AS a SET state = 'confirmed', version = told.version, order_id = told."orderId", ended_at = moment
    FROM jsonb_to_recordset(outcomes) AS told ("attemptId" uuid, "orderId" text, version integer)
    WHERE a.attempt_id = told."attemptId" AND a.attempt_id IN (SELECT r.attempt_id FROM unnest(confirmed) AS r)
    RETURNING a.attempt_id
  )
  SELECT array_agg(attempt_id) INTO attempts FROM ended;
  PERFORM ticketing.issue_tickets(confirmed, moment);
  RETURN attempts;
END $$;

-- Purpose: money was captured by an attempt: the reservation that it has pinned is confirmed; else the capture is rejected, which is told, and
--   payments gives the money back. Called once for each attempt. The caller has everything locked and gives back what has ended.
-- Returns what has ended (one reservation or none) and the seats that came free.
CREATE FUNCTION ticketing.apply_capture(
  outcome jsonb, moment timestamptz, OUT ended ticketing.reservations[], OUT freed ticketing.moved_seat[]
) LANGUAGE plpgsql AS $$
DECLARE
  by_attempt CONSTANT uuid := outcome->>'attemptId';
  captured CONSTANT integer := outcome->>'capturedKrw';
  r ticketing.reservations;
  is_pinned boolean;
  reason text;
BEGIN
  ended := '{}';
  freed := '{}';
  SELECT * INTO r FROM ticketing.reservations AS one WHERE one.id = (outcome->>'referenceId')::uuid;
  -- Reservations are never deleted: a database that was restored, perhaps. The message becomes a letter, and a person looks at it.
  PERFORM ticketing.insist(r.id IS NOT NULL, 'what was paid for exists');
  is_pinned := coalesce(r.status IN ('paying', 'waiting_for_deposit') AND r.attempt_id = by_attempt, false);
  IF is_pinned AND NOT r.refund_requested AND r.total_krw = captured THEN
    UPDATE ticketing.attempts AS a SET state = 'confirmed' WHERE a.attempt_id = by_attempt;
    UPDATE ticketing.reservations AS one SET status = 'confirmed', payment_status = 'paid', order_id = outcome->>'orderId',
      paid_krw = captured, confirmed_at = moment, version = one.version + 1
    WHERE one.id = r.id AND one.version = r.version RETURNING one.* INTO r;
    PERFORM ticketing.issue_tickets(ARRAY[r], moment);
    RETURN;
  END IF;
  reason := CASE
    WHEN r.refund_requested OR r.status IN ('cancelled', 'released') THEN 'cancelled'
    WHEN r.status IN ('confirmed', 'partially_cancelled') THEN 'confirmed_by_another'
    WHEN is_pinned THEN 'amount'
    WHEN r.status = 'expired' OR r.expires_at <= moment THEN 'expired'
    ELSE 'unknown' END;
  UPDATE ticketing.attempts AS a SET state = 'rejected' WHERE a.attempt_id = by_attempt;
  UPDATE ticketing.reservations AS one SET version = one.version + 1,
    order_id = CASE WHEN is_pinned AND one.refund_requested THEN outcome->>'orderId' ELSE one.order_id END,
    paid_krw = CASE WHEN is_pinned AND one.refund_requested THEN captured ELSE one.paid_krw END
  WHERE one.id = r.id AND one.version = r.version RETURNING one.* INTO r;
  PERFORM ticketing.note('rejected', moment, ARRAY[r], jsonb_build_object(
    'attemptId', by_attempt, 'orderId', outcome->>'orderId', 'amountKrw', captured, 'reason', reason));
  -- What has gone back already need not go back again.
  IF captured > ticketing.refunded_by(outcome) THEN
    PERFORM ticketing.tell(r, 'RESERVATION_PAYMENT_REJECTED', jsonb_build_object('attemptId', by_attempt, 'orderId', outcome->>'orderId',
      'amountKrw', captured, 'reason', reason, 'rejectedAt', urr.iso_time(moment)), moment);
  END IF;
  IF is_pinned AND r.status = 'paying' THEN
    SELECT past.ended, past.freed INTO ended, freed FROM ticketing.unpin_reservation(r, moment) AS past;
  ELSIF is_pinned THEN
    SELECT past.ended, past.freed INTO ended, freed
      FROM ticketing.end_holds(ARRAY[r.id], CASE WHEN r.refund_requested THEN 'released' ELSE 'expired' END,
        jsonb_build_object('attemptId', by_attempt), moment) AS past;
  END IF;
END $$;

-- Purpose: money of an attempt went back. Its reservation says so; and where the refund was found at the provider (no cancellation of ours
--   asked for it) or a deposit was taken back, the tickets that the order paid for are void, unless they are in use or sold on.
--   `is_newer`: the sums are. The caller has everything locked and gives back the places of the tickets.
-- Returns the tickets that are void, the seats that came free, and how many tickets stay although their money went back.
CREATE FUNCTION ticketing.apply_refund(
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
  IF outcome->>'cancellationId' IS NOT NULL OR r.status NOT IN ('confirmed', 'partially_cancelled') THEN RETURN; END IF;
  ids := ARRAY(
    SELECT t.id FROM ticketing.tickets AS t WHERE t.reservation_id = r.id AND t.state <> 'void' AND (is_whole OR t.id = ANY (named))
  );
  kept_count := cardinality(ids);
  -- A ticket that cost nothing has no order. It was given along with those that were paid for, and goes with them.
  ids := ARRAY(
    SELECT t.id FROM ticketing.tickets AS t
    WHERE t.id = ANY (ids) AND t.state = 'issued' AND t.owner_id = r.user_id AND (t.order_id IS NULL OR t.order_id = by_order)
  );
  kept_count := kept_count - cardinality(ids);
  IF cardinality(ids) = 0 THEN RETURN; END IF;
  SELECT past.voided, past.freed INTO voided, freed FROM ticketing.void_tickets(r, ids,
    -- The refund's own id, or the attempt's: another delivery finds the tickets void and changes nothing.
    coalesce((outcome->>'refundId')::uuid, by_attempt),
    CASE WHEN is_reversed THEN 'payment_reversed' ELSE 'payment_refunded' END, true, seed, moment) AS past;
END $$;

-- Purpose: outcomes of payments for reservations, a batch of payment-events in their order: `[{ type, ...data }]`. Idempotent without an
--   inbox: one row for each attempt keeps the version that was applied.
--   `seed`: of the random while after which seats come back.
-- Returns the seats that came free, and how many tickets stay although their money went back, which a person has to look at.
-- Locks: as lock_reservations for all of them, then the attempts; shards last. Cost: some statements for all that are plainly confirmed, and
--   some ten for each of the rest.
CREATE FUNCTION ticketing.apply_payments(outcomes jsonb, seed bigint, OUT freed ticketing.moved_seat[], OUT kept_count integer)
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  moment timestamptz;
  outcome jsonb;
  is_newer boolean;
  attempt ticketing.attempts;
  r ticketing.reservations;
  dealt_with uuid[];
  past record;
  ended ticketing.reservations[] := '{}';
  voided ticketing.tickets[] := '{}';
BEGIN
  freed := '{}';
  kept_count := 0;
  PERFORM ticketing.lock_reservations(ARRAY(SELECT DISTINCT "referenceId" FROM jsonb_to_recordset(outcomes) AS one ("referenceId" uuid)));
  INSERT INTO ticketing.attempts AS a (attempt_id, reservation_id, order_id, state, amount_krw)
    SELECT DISTINCT ON ("attemptId") "attemptId", "referenceId", "orderId", 'unpinned', "amountKrw" FROM jsonb_to_recordset(outcomes)
      AS one ("attemptId" uuid, "referenceId" uuid, "orderId" text, "amountKrw" integer)
    ORDER BY "attemptId"
    ON CONFLICT (attempt_id) DO UPDATE SET order_id = excluded.order_id;
  moment := urr.now();
  dealt_with := ticketing.confirm_captured(outcomes, moment);
  FOR outcome IN
    SELECT one.outcome FROM jsonb_array_elements(outcomes) WITH ORDINALITY AS one (outcome, place)
    WHERE (one.outcome->>'attemptId')::uuid <> ALL (dealt_with) ORDER BY one.place
  LOOP
    SELECT * INTO attempt FROM ticketing.attempts AS a WHERE a.attempt_id = (outcome->>'attemptId')::uuid;
    PERFORM ticketing.insist(attempt.reservation_id = (outcome->>'referenceId')::uuid, 'an attempt pays for one thing');
    is_newer := (outcome->>'version')::integer > attempt.version;
    IF is_newer THEN
      UPDATE ticketing.attempts AS a SET version = (outcome->>'version')::integer,
        refunded_krw = greatest(a.refunded_krw, ticketing.refunded_by(outcome)),
        ended_at = CASE WHEN outcome->>'type' <> 'PAYMENT_WAITING_FOR_DEPOSIT' THEN coalesce(a.ended_at, moment) ELSE a.ended_at END
      WHERE a.attempt_id = attempt.attempt_id;
    END IF;
    CASE
      WHEN outcome->>'type' = 'PAYMENT_WAITING_FOR_DEPOSIT' THEN
        CONTINUE WHEN NOT is_newer OR attempt.state <> 'pinned';
        UPDATE ticketing.attempts AS a SET state = 'waiting_for_deposit' WHERE a.attempt_id = attempt.attempt_id;
        UPDATE ticketing.reservations AS one SET status = 'waiting_for_deposit', expires_at = (outcome->>'depositUntil')::timestamptz,
          version = one.version + 1
        WHERE one.id = attempt.reservation_id AND one.status = 'paying' AND one.attempt_id = attempt.attempt_id RETURNING one.* INTO r;
        IF FOUND THEN
          PERFORM ticketing.note('awaiting_deposit', moment, ARRAY[r],
            jsonb_build_object('attemptId', r.attempt_id, 'orderId', outcome->>'orderId'), until => r.expires_at);
        END IF;
      WHEN outcome->>'type' = 'PAYMENT_FAILED' THEN
        CONTINUE WHEN NOT is_newer OR attempt.state IN ('confirmed', 'rejected', 'reversed');
        UPDATE ticketing.attempts AS a SET state = 'failed' WHERE a.attempt_id = attempt.attempt_id;
        SELECT * INTO r FROM ticketing.reservations AS one WHERE one.id = attempt.reservation_id AND one.attempt_id = attempt.attempt_id;
        IF r.status = 'paying' THEN
          SELECT * INTO past FROM ticketing.unpin_reservation(r, moment);
          ended := ended || past.ended;
          freed := freed || past.freed;
        ELSIF r.status = 'waiting_for_deposit' THEN
          SELECT * INTO past FROM ticketing.end_holds(ARRAY[r.id], CASE WHEN r.refund_requested THEN 'released' ELSE 'expired' END,
            jsonb_build_object('attemptId', r.attempt_id), moment);
          ended := ended || past.ended;
          freed := freed || past.freed;
        END IF;
      ELSE
        IF is_newer AND attempt.state NOT IN ('confirmed', 'rejected', 'reversed') THEN
          SELECT * INTO past FROM ticketing.apply_capture(outcome, moment);
          ended := ended || past.ended;
          freed := freed || past.freed;
        END IF;
        CONTINUE WHEN outcome->>'type' = 'PAYMENT_CONFIRMED';
        SELECT * INTO past FROM ticketing.apply_refund(outcome, is_newer, seed, moment);
        voided := voided || past.voided;
        freed := freed || past.freed;
        kept_count := kept_count + past.kept_count;
        IF is_newer AND outcome->>'type' = 'PAYMENT_REVERSED' THEN
          UPDATE ticketing.attempts AS a SET state = 'reversed' WHERE a.attempt_id = attempt.attempt_id AND a.state = 'confirmed';
        END IF;
    END CASE;
  END LOOP;
  PERFORM ticketing.give_back(ended, voided);
END $$;
