-- Purpose: as in 0012, but money that went back since there was nothing to give for it (`orphan`) voids no ticket. An account may get another
--   deposit after its first was given back as goodwill: the tickets that the first one bought stay.
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
  -- Goodwill voids nothing; nor does what bought nothing: another deposit to an account whose first was given back as goodwill.
  IF outcome->>'cancellationId' IS NOT NULL OR outcome->>'kind' IN ('goodwill', 'orphan') OR r.status NOT IN ('confirmed', 'partially_cancelled') THEN
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
