-- What a purchase is measured against: one function that asks nothing and writes the rows of all modules in one transaction, with no message
-- between them: buyer, seat, reservation, three rows of ticketing's ledger, attempt, ticket; order, payment, three rows of payments' ledger.
CREATE SCHEMA IF NOT EXISTS bench;

CREATE FUNCTION bench.buy_unchecked(of_event uuid, of_seat integer, of_user uuid, price integer, fee integer) RETURNS uuid
LANGUAGE plpgsql AS $$
DECLARE
  moment CONSTANT timestamptz := urr.now();
  reservation CONSTANT uuid := urr.uuid7(moment);
  attempt CONSTANT uuid := urr.uuid7(moment);
  ticket CONSTANT uuid := urr.uuid7(moment);
  as_order CONSTANT text := urr.uuid7(moment)::text;
  own_fence bigint;
  act text;
  version integer := 0;
BEGIN
  INSERT INTO ticketing.buyers (event_id, user_id, live) VALUES (of_event, of_user, 1)
    ON CONFLICT (event_id, user_id) DO UPDATE SET live = buyers.live + 1;
  UPDATE ticketing.seats AS s SET state = 3, reservation_id = reservation, user_id = of_user, held_until = NULL, fence = s.fence + 1, step = 2
    WHERE s.event_id = of_event AND s.seat_no = of_seat RETURNING s.fence INTO own_fence;
  INSERT INTO ticketing.reservations (id, number, event_id, user_id, status, payment_status, lines, seat_nos, ticket_count, fee_krw, total_krw,
    fence, slot_id, created_at, expires_at, attempt_id, order_id, paid_krw, confirmed_at, version)
  VALUES (reservation, left(replace(reservation::text, '-', ''), 32), of_event, of_user, 'confirmed', 'paid',
    jsonb_build_object('seats', jsonb_build_array(jsonb_build_object('seatNo', of_seat, 'seatId', of_seat::text, 'grade', 'VIP',
      'priceKrw', price, 'feeKrw', fee, 'fence', own_fence)), 'items', '[]'::jsonb), ARRAY[of_seat], 1, fee, price + fee,
    own_fence, 'slot', moment, moment, attempt, as_order, price + fee, moment, 3);
  FOREACH act IN ARRAY ARRAY['held', 'pinned', 'confirmed'] LOOP
    version := version + 1;
    INSERT INTO ticketing.ledger (at, event_id, act, reservation_id, reservation_version, reservation_status, user_id, seat_nos, seat_fences,
      seat_steps, seat_state, ticket_ids, ticket_versions, ticket_state, cause)
    VALUES (moment, of_event, act, reservation, version, act, of_user, ARRAY[of_seat], ARRAY[own_fence], ARRAY[version - 1], version,
      CASE WHEN version = 3 THEN ARRAY[ticket] END, CASE WHEN version = 3 THEN ARRAY[1] END, CASE WHEN version = 3 THEN 'issued' END,
      jsonb_build_object('attemptId', attempt));
  END LOOP;
  INSERT INTO ticketing.attempts (attempt_id, reservation_id, order_id, state, version, amount_krw, pinned_at, ended_at)
    VALUES (attempt, reservation, as_order, 'confirmed', 3, price + fee, moment, moment);
  INSERT INTO ticketing.tickets (id, event_id, reservation_id, owner_id, seat_no, seat_id, grade, price_krw, fee_krw, order_id, state, issued_at)
    VALUES (ticket, of_event, reservation, of_user, of_seat, of_seat::text, 'VIP', price, fee, as_order, 'issued', moment);
  INSERT INTO payments.orders (order_id, payment_type, reference_id, event_id, user_id, order_name, amount_krw, provider, method, expires_at, closes_at)
    VALUES (as_order, 'reservation', reservation, of_event, of_user, 'bench', price + fee, 'sandbox', 'card', moment, moment);
  INSERT INTO payments.payments (payment_id, order_id, provider, payment_key, method, status, version, amount_krw, captured_krw, is_settled,
    created_at, changed_at)
  VALUES (attempt, as_order, 'sandbox', attempt::text, 'card', 'captured', 3, price + fee, price + fee, true, moment, moment);
  FOREACH act IN ARRAY ARRAY['created', 'capturing', 'captured'] LOOP
    INSERT INTO payments.ledger (at, payment_id, version, act, status, captured_krw, refunded_krw)
      VALUES (moment, attempt, array_position(ARRAY['created', 'capturing', 'captured'], act), act, act, 0, 0);
  END LOOP;
  RETURN ticket;
END $$;
