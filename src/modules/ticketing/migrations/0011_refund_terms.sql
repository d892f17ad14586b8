-- Terms of refund: what the cancellation of a ticket gives back. domain/refund-terms.ts draws the table and is what this is checked against.
--
-- Every ticket names the terms and the show's date that it was bought with. Terms are never changed: new ones are a new row, and the
-- default of `tickets.refund_terms` moves on to it.

CREATE TABLE ticketing.refund_terms (
  terms_id         smallint PRIMARY KEY,
  -- Parallel lists, the most days first and 0 last: with so many days to the show or more, so much of the price is kept.
  days_before      integer[] NOT NULL,
  percents_kept    integer[] NOT NULL,
  rules            text[] NOT NULL,
  -- So soon after the booking nothing of the price is kept, if there are so many days to the show or more.
  full_within      interval NOT NULL,
  full_until_days  integer NOT NULL,
  -- The booking fee comes back on the day of the booking only.
  keeps_fee        boolean NOT NULL
);
INSERT INTO ticketing.refund_terms VALUES
  -- Of tickets from before there were terms: everything goes back.
  (0, '{0}', '{0}', '{full}', '0', 0, false),
  (1, '{10,7,3,1,0}', '{0,10,20,30,90}', '{ten_days,seven_days,three_days,one_day,same_day}', '24 hours', 3, true);

ALTER TABLE ticketing.tickets
  -- No foreign key: it would lock one row of the terms for every ticket that is issued. A constant default: no row is rewritten.
  ADD COLUMN refund_terms smallint NOT NULL DEFAULT 0,
  -- The show's date when it was bought. Null: it was bought before this was kept, and the event's date counts.
  ADD COLUMN shows_at timestamptz,
  -- Of a void ticket: what goes back for it, or went. Null: everything, and it was cancelled before there were terms.
  ADD COLUMN refund_krw integer,
  ADD CONSTRAINT tickets_refund CHECK (refund_krw IS NULL OR (state = 'void' AND refund_krw BETWEEN 0 AND price_krw + fee_krw)) NOT VALID;
ALTER TABLE ticketing.tickets ALTER COLUMN refund_terms SET DEFAULT 1;

CREATE TYPE ticketing.refund_line AS (
  ticket_id uuid, order_id text, price_krw integer, fee_krw integer, rule text, days_before integer,
  cancellation_fee_krw integer, fee_kept_krw integer, refund_krw integer
);

-- Purpose: the day of a moment where the shows are, and the moment when a day begins there.
CREATE FUNCTION ticketing.seoul_day(moment timestamptz) RETURNS date LANGUAGE sql IMMUTABLE STRICT
  RETURN (moment AT TIME ZONE 'Asia/Seoul')::date;
CREATE FUNCTION ticketing.seoul_midnight(day date) RETURNS timestamptz LANGUAGE sql IMMUTABLE STRICT
  RETURN day::timestamp AT TIME ZONE 'Asia/Seoul';

-- Purpose: what each of these tickets would give back at this moment. `shows_now`: the event's date as it is; of it and the date that the
--   ticket was bought for the later one counts, since it is never worse for the buyer. `in_full`: the terms do not matter.
--   What is kept is rounded down to whole won, ticket by ticket.
-- Returns one line for each ticket: price + fee = cancellation fee + fee kept + refund.
CREATE FUNCTION ticketing.refund_lines(of_tickets ticketing.tickets[], shows_now timestamptz, in_full boolean, moment timestamptz)
RETURNS SETOF ticketing.refund_line LANGUAGE sql STABLE AS $$
  SELECT t.id, t.order_id, t.price_krw, t.fee_krw, kept.rule, far.days, kept.of_price, kept.of_fee,
    t.price_krw - kept.of_price + t.fee_krw - kept.of_fee
  FROM unnest(of_tickets) AS t
  JOIN ticketing.refund_terms AS terms ON terms.terms_id = t.refund_terms
  CROSS JOIN LATERAL (
    SELECT greatest(0, ticketing.seoul_day(greatest(t.shows_at, shows_now)) - ticketing.seoul_day(moment)) AS days
  ) AS far
  CROSS JOIN LATERAL (
    SELECT step.percent, step.rule FROM unnest(terms.days_before, terms.percents_kept, terms.rules) AS step (days, percent, rule)
    WHERE step.days <= far.days ORDER BY step.days DESC LIMIT 1
  ) AS step
  CROSS JOIN LATERAL (
    SELECT step.percent > 0 AND moment < t.issued_at + terms.full_within AND far.days >= terms.full_until_days AS is_soon
  ) AS booked
  CROSS JOIN LATERAL (
    SELECT
      CASE WHEN in_full THEN 'full' WHEN booked.is_soon THEN 'within_24h' ELSE step.rule END AS rule,
      CASE WHEN in_full OR booked.is_soon THEN 0 ELSE (t.price_krw::bigint * step.percent / 100)::integer END AS of_price,
      CASE WHEN in_full OR NOT terms.keeps_fee OR ticketing.seoul_day(moment) <= ticketing.seoul_day(t.issued_at)
        THEN 0 ELSE t.fee_krw END AS of_fee
  ) AS kept
  ORDER BY t.id
$$;

-- Purpose: when less than now begins to come back for these tickets. Null: never, as long as they can be cancelled at all.
--   Terms get worse at few moments only: at midnights of Seoul, and when the time after the booking is over.
CREATE FUNCTION ticketing.refund_changes_at(of_tickets ticketing.tickets[], event ticketing.events, in_full boolean, moment timestamptz)
RETURNS timestamptz LANGUAGE sql STABLE AS $$
  WITH possible AS (
    SELECT DISTINCT change.at FROM unnest(of_tickets) AS t
    JOIN ticketing.refund_terms AS terms ON terms.terms_id = t.refund_terms
    CROSS JOIN LATERAL (SELECT ticketing.seoul_day(greatest(t.shows_at, event.starts_at)) AS day) AS show
    CROSS JOIN LATERAL (
      SELECT t.issued_at + terms.full_within
      UNION ALL SELECT ticketing.seoul_midnight(ticketing.seoul_day(t.issued_at) + 1)
      UNION ALL SELECT ticketing.seoul_midnight(show.day - days + 1) FROM unnest(terms.days_before || terms.full_until_days) AS days
    ) AS change (at)
    WHERE change.at > moment AND change.at < coalesce(event.doors_at, event.starts_at)
  )
  SELECT min(possible.at) FROM possible
  WHERE (SELECT sum(line.refund_krw) FROM ticketing.refund_lines(of_tickets, event.starts_at, in_full, possible.at) AS line)
    < (SELECT sum(line.refund_krw) FROM ticketing.refund_lines(of_tickets, event.starts_at, in_full, moment) AS line)
$$;

-- Purpose: what the cancellation of these tickets of one reservation would give back at this moment, as RefundQuote of schemas.ts.
CREATE FUNCTION ticketing.quote_of(r ticketing.reservations, of_tickets ticketing.tickets[], in_full boolean, moment timestamptz)
RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
DECLARE
  event ticketing.events;
  first ticketing.tickets := of_tickets[1];
  terms ticketing.refund_terms;
  lines ticketing.refund_line[];
  fee_until CONSTANT timestamptz := ticketing.seoul_midnight(ticketing.seoul_day(first.issued_at) + 1);
BEGIN
  SELECT * INTO event FROM ticketing.events AS e WHERE e.event_id = r.event_id;
  SELECT * INTO terms FROM ticketing.refund_terms AS one WHERE one.terms_id = CASE WHEN in_full THEN 0 ELSE first.refund_terms END;
  lines := ARRAY(SELECT line FROM ticketing.refund_lines(of_tickets, event.starts_at, in_full, moment) AS line);
  PERFORM ticketing.insist(cardinality(lines) = cardinality(of_tickets) AND terms.terms_id IS NOT NULL, 'a ticket has its terms');
  RETURN (
    SELECT jsonb_build_object('reservationId', r.id, 'quotedAt', urr.iso_time(moment),
      'showsAt', urr.iso_time(greatest(first.shows_at, event.starts_at)), 'daysBefore', min(line.days_before), 'rule', min(line.rule),
      'lines', jsonb_agg(jsonb_build_object('ticketId', line.ticket_id, 'priceKrw', line.price_krw, 'feeKrw', line.fee_krw,
        'cancellationFeeKrw', line.cancellation_fee_krw, 'feeKeptKrw', line.fee_kept_krw, 'refundKrw', line.refund_krw)
        ORDER BY line.ticket_id),
      'priceKrw', sum(line.price_krw), 'feeKrw', sum(line.fee_krw), 'cancellationFeeKrw', sum(line.cancellation_fee_krw),
      'feeKeptKrw', sum(line.fee_kept_krw), 'refundKrw', sum(line.refund_krw))
    FROM unnest(lines) AS line
  ) || jsonb_build_object(
    'changesAt', urr.iso_time(ticketing.refund_changes_at(of_tickets, event, in_full, moment)),
    'terms', (SELECT jsonb_agg(jsonb_build_object('daysBefore', step.days, 'percentKept', step.percent) ORDER BY step.days DESC)
      FROM unnest(terms.days_before, terms.percents_kept) AS step (days, percent)),
    'bookingFeeUntil', CASE WHEN terms.keeps_fee AND fee_until > moment THEN urr.iso_time(fee_until) END);
END $$;

-- Purpose: the quote for tickets (`of_tickets`, or null for all that can still be cancelled) of a reservation of this user.
-- Returns `quoted` with the quote; `unknown` (also: of somebody else); `nothing`: there is nothing that could be refunded, and `status` says
--   why; `not_cancellable` with what speaks against each ticket. Locks: none, one snapshot. Cost: some five short statements.
CREATE FUNCTION ticketing.refund_quote(
  of_reservation uuid, by_user uuid, of_tickets uuid[], OUT verdict text, OUT quote jsonb, OUT refusals jsonb, OUT status text
)
LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  moment CONSTANT timestamptz := urr.now();
  r ticketing.reservations;
  ids uuid[];
BEGIN
  refusals := '[]';
  SELECT * INTO r FROM ticketing.reservations AS one WHERE one.id = of_reservation AND one.user_id = by_user;
  IF r.id IS NULL THEN verdict := 'unknown'; RETURN; END IF;
  status := CASE WHEN r.status = 'pending' AND r.expires_at <= moment THEN 'expired' ELSE r.status END;
  ids := CASE WHEN of_tickets IS NULL
    THEN ARRAY(SELECT t.id FROM ticketing.tickets AS t WHERE t.reservation_id = r.id AND t.state <> 'void')
    ELSE ARRAY(SELECT DISTINCT id FROM unnest(of_tickets) AS id) END;
  IF r.status NOT IN ('confirmed', 'partially_cancelled', 'cancelled') OR cardinality(ids) = 0 THEN verdict := 'nothing'; RETURN; END IF;
  refusals := ticketing.cancel_obstacles(r, ids, by_user, moment);
  IF of_tickets IS NULL THEN
    ids := ARRAY(SELECT id FROM unnest(ids) AS id WHERE NOT refusals @> jsonb_build_array(jsonb_build_object('ticketId', id)));
  END IF;
  IF cardinality(ids) = 0 OR (of_tickets IS NOT NULL AND refusals <> '[]') THEN verdict := 'not_cancellable'; RETURN; END IF;
  verdict := 'quoted';
  quote := ticketing.quote_of(r, ARRAY(SELECT t FROM ticketing.tickets AS t WHERE t.id = ANY (ids) ORDER BY t.id),
    EXISTS (SELECT FROM ticketing.events AS e WHERE e.event_id = r.event_id AND e.cancelled_at IS NOT NULL), moment);
END $$;

-- Purpose: these reservations, which the caller has just made `confirmed`, get their tickets; their seats are sold, and it is told.
--   As in 0007, and each ticket keeps the date of the show that it was bought for.
-- Locks: none of its own. Cost: five statements and a row for each ticket and seat.
CREATE OR REPLACE FUNCTION ticketing.issue_tickets(confirmed ticketing.reservations[], moment timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  sold ticketing.moved_seat[];
  issued ticketing.tickets[];
BEGIN
  sold := ticketing.move_seats(confirmed, '{1,2}', 3::smallint);
  PERFORM ticketing.insist(cardinality(sold) = (SELECT coalesce(sum(cardinality(r.seat_nos)), 0) FROM unnest(confirmed) AS r),
    'what is confirmed has all of its seats');
  WITH made AS (
    INSERT INTO ticketing.tickets AS t (id, event_id, reservation_id, owner_id, seat_no, seat_id, grade, ticket_type_id, area_id,
      price_krw, fee_krw, order_id, state, issued_at, shows_at)
    SELECT urr.uuid7(moment), r.event_id, r.id, r.user_id, line.seat_no, line.seat_id, line.grade, line.ticket_type_id, line.area_id,
      line.price_krw, line.fee_krw, CASE WHEN line.price_krw + line.fee_krw > 0 THEN r.order_id END, 'issued', moment, e.starts_at
    FROM unnest(confirmed) AS r
    JOIN ticketing.events AS e ON e.event_id = r.event_id
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
