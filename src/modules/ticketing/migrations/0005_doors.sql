-- The doors: check-in, online and offline, and the seller's own seats. Tables: 0001_ticketing.sql.

-- What standing places were sold for. Seats have an index of their live tickets already.
CREATE INDEX tickets_standing ON ticketing.tickets (event_id) WHERE ticket_type_id IS NOT NULL AND state <> 'void';

-- How many are in. Only tickets that are, so that a sale writes nothing to it.
CREATE INDEX tickets_checked_in ON ticketing.tickets (event_id) WHERE state = 'checked_in';

-- Lets the holders of tickets in: one scan that is made now, or many that a scanner made while it had no network.
--
-- Locks: the scans by their ids (they are what a repetition is known by), then the tickets by theirs. No state is looked at before.
-- Each scan is decided by one conditional update, the earliest first: ISSUED, and of the version that the code shows, becomes
-- CHECKED_IN; one wins. A scan that is sent again changes nothing and is answered with how things stand.
--
-- A scan made offline has let somebody in already. If it was earlier than the check-in that is known, it becomes the check-in: time and
-- gate change, the state does not, which is why the ledger has no second row. A clock that cannot be right (before the ticket
-- was issued, more than a day before the doors, or in the future) is not believed: the time of arrival counts, and so it never
-- takes a check-in from another gate.
--
-- p_refused: what the caller knows of a scan already (`invalid`, `other_event`), else null. Those have no ticket.
-- Returns one row for each scan. `conflict`: another scan let the same ticket in, too.
-- Cost: two short index look-ups and an update per scan; at most 500 scans are sent at once.
CREATE FUNCTION ticketing.check_in(
  p_event_id    uuid,
  p_by          uuid,
  p_is_offline  boolean,
  p_scan_ids    uuid[],
  p_ticket_ids  uuid[],
  p_versions    integer[],
  p_gates       text[],
  p_scanned_at  timestamptz[],
  p_refused     text[]
) RETURNS TABLE (
  scan_id             uuid,
  verdict             text,
  ticket_id           uuid,
  conflict            boolean,
  checked_in_at       timestamptz,
  gate                text,
  reservation_number  text,
  seat_id             text,
  area_id             text
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  v_fresh         uuid[];
  v_now           timestamptz;
  v_is_cancelled  boolean;
  v_earliest      timestamptz;
  v_scan          record;
  v_verdict       text;
BEGIN
  WITH claimed AS (
    INSERT INTO ticketing.scans (event_id, scan_id, ticket_id, verdict, gate, scanned_at, scanned_by, is_offline)
    SELECT p_event_id, asked.scan_id, asked.ticket_id, COALESCE(asked.refused, 'unknown'), asked.gate, urr.now(), p_by, p_is_offline
    FROM unnest(p_scan_ids, p_ticket_ids, p_gates, p_refused) AS asked (scan_id, ticket_id, gate, refused)
    ORDER BY asked.scan_id
    ON CONFLICT (event_id, scan_id) DO NOTHING
    RETURNING scan_id
  )
  SELECT array_agg(scan_id) INTO v_fresh FROM claimed;

  PERFORM FROM ticketing.tickets WHERE id = ANY (p_ticket_ids) ORDER BY id FOR UPDATE;

  v_now := urr.now();
  SELECT cancelled_at IS NOT NULL, COALESCE(doors_at, starts_at) - interval '1 day'
    INTO v_is_cancelled, v_earliest
    FROM ticketing.events WHERE event_id = p_event_id;

  FOR v_scan IN
    SELECT asked.*,
           CASE WHEN asked.scanned_at BETWEEN GREATEST(t.issued_at, v_earliest) AND v_now THEN asked.scanned_at ELSE v_now END AS at
    FROM unnest(p_scan_ids, p_ticket_ids, p_versions, p_gates, p_scanned_at, p_refused) WITH ORDINALITY
           AS asked (scan_id, ticket_id, version, gate, scanned_at, refused, n)
    LEFT JOIN ticketing.tickets t ON t.id = asked.ticket_id
    WHERE asked.scan_id = ANY (v_fresh) AND asked.refused IS NULL
    ORDER BY at, asked.n
  LOOP
    v_verdict := ticketing.check_in_one(
      p_event_id, p_by, p_is_offline, v_is_cancelled, v_now,
      v_scan.scan_id, v_scan.ticket_id, v_scan.version, v_scan.gate, v_scan.at);
    UPDATE ticketing.scans SET verdict = v_verdict, scanned_at = v_scan.at, received_at = v_now
     WHERE event_id = p_event_id AND scan_id = v_scan.scan_id;
  END LOOP;

  RETURN QUERY
    SELECT s.scan_id, s.verdict, s.ticket_id,
           (s.is_offline OR s.verdict = 'admitted') AND EXISTS (
             SELECT FROM ticketing.scans other
              WHERE other.ticket_id = s.ticket_id AND other.event_id = p_event_id AND other.scan_id <> s.scan_id
                AND (other.verdict = 'admitted' OR other.is_offline AND other.verdict = 'used')),
           t.checked_in_at, t.checked_in_gate, r.number, t.seat_id, t.area_id
      FROM ticketing.scans s
      LEFT JOIN ticketing.tickets t ON t.id = s.ticket_id AND t.event_id = p_event_id
      LEFT JOIN ticketing.reservations r ON r.id = t.reservation_id
     WHERE s.event_id = p_event_id AND s.scan_id = ANY (p_scan_ids);
END $$;

-- One scan of a ticket that the caller has locked. Returns the verdict.
CREATE FUNCTION ticketing.check_in_one(
  p_event_id      uuid,
  p_by            uuid,
  p_is_offline    boolean,
  p_is_cancelled  boolean,
  p_now           timestamptz,
  p_scan_id       uuid,
  p_ticket_id     uuid,
  p_version       integer,
  p_gate          text,
  p_at            timestamptz
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_ticket  record;
BEGIN
  -- Its tickets are made void in passes; until they are, the event's own mark counts.
  IF p_is_cancelled THEN RETURN 'void'; END IF;

  UPDATE ticketing.tickets
     SET state = 'checked_in', checked_in_at = p_at, checked_in_gate = p_gate, checked_in_by = p_by
   WHERE id = p_ticket_id AND event_id = p_event_id AND state = 'issued' AND version = p_version;
  IF FOUND THEN
    INSERT INTO ticketing.ledger (at, event_id, act, ticket_ids, ticket_versions, ticket_state, cause)
    VALUES (p_now, p_event_id, 'checked_in', ARRAY[p_ticket_id], ARRAY[p_version], 'checked_in', jsonb_build_object(
      'by', p_by, 'gate', p_gate, 'scanId', p_scan_id, 'offline', p_is_offline));
    RETURN 'admitted';
  END IF;

  SELECT state, version INTO v_ticket FROM ticketing.tickets WHERE id = p_ticket_id AND event_id = p_event_id;
  IF NOT FOUND OR p_version > v_ticket.version THEN RETURN 'unknown'; END IF;
  IF v_ticket.state = 'void' THEN RETURN 'void'; END IF;
  IF p_version < v_ticket.version THEN RETURN 'replaced'; END IF;
  IF v_ticket.state = 'listed' THEN RETURN 'listed'; END IF;

  UPDATE ticketing.tickets
     SET checked_in_at = p_at, checked_in_gate = p_gate, checked_in_by = p_by
   WHERE p_is_offline AND id = p_ticket_id AND state = 'checked_in' AND checked_in_at > p_at;
  RETURN CASE WHEN FOUND THEN 'admitted' ELSE 'used' END;
END $$;

-- Takes free seats out of the sale, or puts blocked ones back: all of them or none. A hold whose time is over is free; its
-- reservation, which nobody has tidied up yet, loses the seat as it would to a buyer.
--
-- Locks: the seats in their order. What is built is read after that, so that numbers of an older plan never hit seats of a newer one.
-- Returns one row: `outcome` is done, stale (the caller's plan is not the one that is built), not_ready (seats are being made),
-- unknown_seat or not_free; `in_the_way` and `states` name the seats that were not as they must be.
-- Cost: one update of the seats, one row of the ledger, one of the audit log.
CREATE FUNCTION ticketing.set_blocked(
  p_event_id    uuid,
  p_offer       text,
  p_seat_nos    integer[],
  p_is_blocked  boolean,
  p_actor_id    uuid,
  p_actor_role  text,
  p_reason      text,
  p_seat_ids    text[],
  p_request_id  text
) RETURNS TABLE (outcome text, in_the_way integer[], states smallint[]) LANGUAGE plpgsql AS $$
DECLARE
  v_now    timestamptz;
  v_event  record;
  v_found  integer;
  v_act    text := CASE WHEN p_is_blocked THEN 'blocked' ELSE 'unblocked' END;
  v_state  smallint := CASE WHEN p_is_blocked THEN 4 ELSE 0 END;
BEGIN
  PERFORM FROM ticketing.seats WHERE event_id = p_event_id AND seat_no = ANY (p_seat_nos) ORDER BY seat_no FOR UPDATE;
  GET DIAGNOSTICS v_found = ROW_COUNT;
  v_now := urr.now();

  SELECT offer, built_offer INTO v_event FROM ticketing.events WHERE event_id = p_event_id;
  IF v_event.built_offer IS DISTINCT FROM v_event.offer THEN RETURN QUERY SELECT 'not_ready', NULL::integer[], NULL::smallint[]; RETURN; END IF;
  IF v_event.built_offer <> p_offer THEN RETURN QUERY SELECT 'stale', NULL::integer[], NULL::smallint[]; RETURN; END IF;
  IF v_found <> cardinality(p_seat_nos) THEN RETURN QUERY SELECT 'unknown_seat', NULL::integer[], NULL::smallint[]; RETURN; END IF;

  SELECT array_agg(s.seat_no ORDER BY s.seat_no), array_agg(s.state ORDER BY s.seat_no) INTO in_the_way, states
    FROM ticketing.seats s
   WHERE s.event_id = p_event_id AND s.seat_no = ANY (p_seat_nos)
     AND NOT CASE WHEN p_is_blocked THEN s.state = 0 OR s.state = 1 AND s.held_until <= v_now ELSE s.state = 4 END;
  IF in_the_way IS NOT NULL THEN outcome := 'not_free'; RETURN NEXT; RETURN; END IF;

  WITH changed AS (
    UPDATE ticketing.seats s
       SET state = v_state, reservation_id = NULL, user_id = NULL, held_until = NULL, step = s.step + 1
     WHERE s.event_id = p_event_id AND s.seat_no = ANY (p_seat_nos)
       AND CASE WHEN p_is_blocked THEN s.state = 0 OR s.state = 1 AND s.held_until <= v_now ELSE s.state = 4 END
    RETURNING s.seat_no, s.fence, s.step
  )
  INSERT INTO ticketing.ledger (at, event_id, act, seat_nos, seat_fences, seat_steps, seat_state, cause)
  SELECT v_now, p_event_id, v_act,
         array_agg(c.seat_no ORDER BY c.seat_no), array_agg(c.fence ORDER BY c.seat_no), array_agg(c.step ORDER BY c.seat_no),
         v_state, jsonb_build_object('by', p_actor_id, 'reason', p_reason)
    FROM changed c;

  PERFORM urr.append_audit(
    p_actor_id::text, p_actor_role, 'ticketing.seats.' || CASE WHEN p_is_blocked THEN 'block' ELSE 'unblock' END,
    p_event_id::text, NULL, jsonb_build_object('seatIds', p_seat_ids, 'reason', p_reason), p_request_id);
  outcome := 'done';
  RETURN NEXT;
END $$;
