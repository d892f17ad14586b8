-- What ticketing is measured against. In a schema of its own, beside the tables of the program.
CREATE SCHEMA bench;

-- As urr.outbox, but without a relay: its work would be counted against what is measured.
CREATE TABLE bench.outbox (LIKE urr.outbox INCLUDING ALL);

-- Holds one seat and asks nothing: no lock before the write, no state, limit, key or sale window. Writes the rows that
-- ticketing.hold_batch writes for one request: buyer, seat, reservation, ledger, outbox, idempotency key.
-- Returns the fence and the time of the hold. Cost: six statements.
CREATE FUNCTION bench.hold_unchecked(
    of_event uuid, of_seat integer, of_user uuid, reservation uuid, number text, slot text, seat_line text, fee_krw integer,
    total_krw integer, key text, fingerprint text, hold_ms integer, topic_partitions integer,
    OUT fence bigint, OUT at timestamptz, OUT ends_at timestamptz)
  LANGUAGE plpgsql AS $$
DECLARE
  hold_lines jsonb;
  message uuid;
  envelope text;
BEGIN
  at := date_trunc('milliseconds', urr.now());
  ends_at := at + hold_ms * interval '1 millisecond';
  INSERT INTO ticketing.buyers (event_id, user_id, live) VALUES (of_event, of_user, 1)
  ON CONFLICT (event_id, user_id) DO UPDATE SET live = buyers.live + 1;

  UPDATE ticketing.seats AS s
  SET state = 1, reservation_id = reservation, user_id = of_user, held_until = ends_at, fence = s.fence + 1, step = 0
  WHERE s.event_id = of_event AND s.seat_no = of_seat
  RETURNING s.fence INTO hold_unchecked.fence;

  hold_lines := '{"seats":[' || left(seat_line, -1) || ',"fence":' || hold_unchecked.fence || '}],"items":[]}';
  INSERT INTO ticketing.reservations (id, number, event_id, user_id, status, payment_status, lines, seat_nos, ticket_count, fee_krw,
    total_krw, fence, slot_id, created_at, held_since, expires_at)
  VALUES (reservation, hold_unchecked.number, of_event, of_user, 'pending', 'none', hold_lines, ARRAY[of_seat], 1,
    hold_unchecked.fee_krw, hold_unchecked.total_krw, hold_unchecked.fence, slot, at, at, ends_at);

  INSERT INTO ticketing.ledger (at, event_id, act, reservation_id, reservation_version, reservation_status, user_id,
    seat_nos, seat_fences, seat_steps, seat_state, held_until, cause)
  VALUES (hold_unchecked.at, of_event, 'held', reservation, 1, 'pending', of_user,
    ARRAY[of_seat], ARRAY[hold_unchecked.fence], ARRAY[0], 1, ends_at, jsonb_build_object('lines', ticketing.lines_fingerprint(hold_lines)));

  message := urr.uuid7(at);
  envelope := '{"id":"' || message || '","type":"RESERVATIONS_CREATED","version":1,"occurredAt":"' || urr.iso_time(at) || '","key":"'
    || of_event || '","data":{"eventId":"' || of_event || '","reservations":[{"reservationId":"' || reservation || '","userId":"'
    || of_user || '","seats":[' || seat_line || '],"items":[],"feeKrw":' || hold_unchecked.fee_krw || ',"totalKrw":'
    || hold_unchecked.total_krw || ',"createdAt":"' || urr.iso_time(at) || '","expiresAt":"' || urr.iso_time(ends_at) || '"}]}}';
  INSERT INTO bench.outbox (topic, partition, key, event_id, type, envelope, bytes)
  VALUES ('reservation-holds', urr.partition_of(of_event::text, topic_partitions), of_event::text, message, 'RESERVATIONS_CREATED',
    envelope::json, octet_length(envelope));

  INSERT INTO urr.idempotency_keys (user_id, method, route, key, fingerprint, status, body)
  VALUES (of_user::text, 'POST', '/api/seats/reserve', hold_unchecked.key, hold_unchecked.fingerprint, 201,
    jsonb_build_object('reservationId', reservation));
END $$;

-- The seats of the three-phase variant: a state and a version, as an ORM keeps them.
CREATE TABLE bench.seats (
  event_id  uuid NOT NULL,
  seat_id   text NOT NULL,
  status    text NOT NULL,
  user_id   uuid,
  version   integer NOT NULL DEFAULT 0,
  PRIMARY KEY (event_id, seat_id)
);
