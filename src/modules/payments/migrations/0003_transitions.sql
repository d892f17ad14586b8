-- Every step of an attempt and of a refund, one function call each: it names the states that it may start from, and writes its ledger row and its
-- message in the same transaction. No function waits for anything but a lock; lock order as in 0001.

-- Purpose: the ledger row of a payment as it is now.
CREATE FUNCTION payments.note(p payments.payments, act text, moment timestamptz, cause jsonb, f payments.refunds DEFAULT NULL)
RETURNS void LANGUAGE sql AS $$
  INSERT INTO payments.ledger (at, payment_id, version, act, status, captured_krw, refunded_krw, refund_id, refund_status, refund_krw, cause)
  VALUES (moment, p.payment_id, p.version, note.act, p.status, p.captured_krw, p.refunded_krw, f.refund_id, f.status, f.amount_krw, note.cause)
$$;

-- Purpose: tells what a payment is now on payment-events, which has three partitions (topics.ts).
CREATE FUNCTION payments.tell(p payments.payments, type text, more jsonb, moment timestamptz) RETURNS void LANGUAGE sql AS $$
  SELECT urr.append_event('payment-events', 3, p.order_id, tell.type, 1, jsonb_build_object(
    'attemptId', p.payment_id, 'orderId', p.order_id, 'version', p.version, 'paymentType', o.payment_type, 'referenceId', o.reference_id,
    'userId', o.user_id, 'provider', p.provider, 'paymentKey', p.payment_key, 'amountKrw', p.amount_krw, 'capturedKrw', p.captured_krw,
    'refundedKrw', p.refunded_krw, 'at', urr.iso_time(moment)) || more, moment)
  FROM payments.orders AS o WHERE o.order_id = p.order_id
$$;

-- Purpose: begins an attempt, or finds the one that the same request began before. It is the idempotency record of a confirmation.
-- Returns `begun`, `known` (the attempt is the one of this key or intent), `mismatch` (the intent was another), `unknown_order` (also: of
--   somebody else), `amount`, `in_progress`, `paid`; and the attempt where there is one.
-- Locks: the order. Cost: some five short statements.
CREATE FUNCTION payments.begin_attempt(
  as_payment uuid, of_order text, by_user uuid, by_key text, by_provider text, amount integer, as_intent text, as_print text,
  OUT verdict text, OUT payment payments.payments
)
LANGUAGE plpgsql AS $$
DECLARE
  o payments.orders;
  moment timestamptz;
BEGIN
  SELECT * INTO o FROM payments.orders AS one WHERE one.order_id = of_order FOR UPDATE;
  moment := urr.now();
  IF o.order_id IS NULL OR o.user_id <> by_user THEN verdict := 'unknown_order'; RETURN; END IF;
  IF amount IS NOT NULL AND amount <> o.amount_krw THEN verdict := 'amount'; RETURN; END IF;
  -- An attempt that was given up before anything was charged is no obstacle to the same request, nor does it answer for it.
  UPDATE payments.payments AS p SET intent_key = NULL, intent_print = NULL, payment_key = NULL
    WHERE p.order_id = of_order AND p.status = 'abandoned' AND (p.intent_key = as_intent OR p.payment_key = by_key);
  SELECT * INTO payment FROM payments.payments AS p WHERE p.order_id = of_order AND p.intent_key = as_intent;
  IF payment.payment_id IS NOT NULL THEN
    verdict := CASE WHEN payment.intent_print = as_print THEN 'known' ELSE 'mismatch' END;
    RETURN;
  END IF;
  SELECT * INTO payment FROM payments.payments AS p WHERE p.provider = by_provider AND p.payment_key = by_key;
  IF payment.payment_id IS NOT NULL THEN
    verdict := CASE WHEN payment.order_id = of_order THEN 'known' ELSE 'unknown_order' END;
    RETURN;
  END IF;
  SELECT * INTO payment FROM payments.payments AS p
    WHERE p.order_id = of_order AND p.status IN ('created', 'capturing', 'unknown', 'waiting_for_deposit');
  IF payment.payment_id IS NOT NULL THEN verdict := 'in_progress'; RETURN; END IF;
  SELECT * INTO payment FROM payments.payments AS p WHERE p.order_id = of_order AND p.captured_krw > 0 AND NOT p.is_orphan LIMIT 1;
  IF payment.payment_id IS NOT NULL THEN verdict := 'paid'; RETURN; END IF;
  INSERT INTO payments.payments AS p (payment_id, order_id, provider, payment_key, method, status, amount_krw, intent_key, intent_print,
    next_check_at, created_at, changed_at)
  VALUES (as_payment, of_order, by_provider, by_key, o.method, 'created', o.amount_krw, as_intent, as_print,
    moment + interval '60 seconds', moment, moment)
  ON CONFLICT (provider, payment_key) WHERE payment_key IS NOT NULL DO NOTHING
  RETURNING p.* INTO payment;
  -- Another order came by the same key at this very moment.
  IF payment.payment_id IS NULL THEN verdict := 'unknown_order'; RETURN; END IF;
  PERFORM payments.note(payment, 'created', moment, NULL);
  verdict := 'begun';
END $$;

-- Purpose: one step of an attempt, if it is in one of the states `from_statuses`. `changes` may name capturedKrw, paymentKey, method, refundRequested, depositUntil,
--   account, declineCode, declineReason, checkInMs (null: not again). `told`: the type of the message, or null.
-- Returns the attempt as it is now, or nothing: somebody was faster. Locks: the attempt. Cost: three short statements.
CREATE FUNCTION payments.move(
  of_payment uuid, from_statuses text[], to_status text, changes jsonb, told text, more jsonb
) RETURNS SETOF payments.payments LANGUAGE plpgsql AS $$
DECLARE
  p payments.payments;
  moment timestamptz;
BEGIN
  PERFORM FROM payments.payments AS one WHERE one.payment_id = of_payment FOR UPDATE;
  moment := urr.now();
  UPDATE payments.payments AS one SET
    status = to_status,
    version = one.version + 1,
    captured_krw = coalesce((changes->>'capturedKrw')::integer, one.captured_krw),
    payment_key = coalesce(changes->>'paymentKey', one.payment_key),
    method = coalesce(changes->>'method', one.method),
    refund_requested = coalesce((changes->>'refundRequested')::boolean, one.refund_requested),
    deposit_until = coalesce((changes->>'depositUntil')::timestamptz, one.deposit_until),
    account = coalesce(changes->'account', one.account),
    decline_code = coalesce(changes->>'declineCode', one.decline_code),
    decline_reason = coalesce(changes->>'declineReason', one.decline_reason),
    is_settled = to_status NOT IN ('created', 'capturing', 'unknown', 'waiting_for_deposit', 'captured'),
    is_orphan = one.is_orphan OR to_status = 'orphaned',
    unknown_since = CASE WHEN to_status IN ('capturing', 'unknown') THEN coalesce(one.unknown_since, moment) END,
    checks = CASE WHEN to_status = one.status THEN one.checks ELSE 0 END,
    next_check_at = moment + (changes->>'checkInMs')::bigint * interval '1 millisecond',
    changed_at = moment
  WHERE one.payment_id = of_payment AND one.status = ANY (from_statuses)
  RETURNING one.* INTO p;
  IF p.payment_id IS NULL THEN RETURN; END IF;
  PERFORM payments.note(p, to_status, moment, nullif(more, '{}'));
  IF told IS NOT NULL THEN PERFORM payments.tell(p, told, more, moment); END IF;
  RETURN NEXT p;
END $$;

-- Purpose: attempts whose time to be looked at has come, `rows_max` at the most, for one process each: nobody else is given them for a minute.
-- Returns them. Locks, SKIP LOCKED: the attempts.
CREATE FUNCTION payments.take_due(rows_max integer) RETURNS SETOF payments.payments LANGUAGE sql AS $$
  UPDATE payments.payments AS p SET next_check_at = urr.now() + interval '60 seconds', checks = p.checks + 1
  WHERE p.payment_id IN (
    SELECT due.payment_id FROM payments.payments AS due WHERE due.next_check_at <= (SELECT urr.now())
    ORDER BY due.next_check_at LIMIT rows_max FOR UPDATE SKIP LOCKED)
  RETURNING p.*
$$;

-- Purpose: money is asked to go back. All refunds of a payment together never exceed what was captured: what is too much is cut off.
--   Where nothing is left it is done at once, and told, so that nobody waits for it. Repeatable by `as_refund`.
--   Of a payment that has taken nothing, nothing can go back: its outcome may still be open.
-- Returns `requested`, `known`, `nothing_left`, `nothing_captured` or `unknown`; and the refund. Locks: the payment. Cost: four short statements.
CREATE FUNCTION payments.request_refund(
  as_refund uuid, of_payment uuid, as_kind text, of_cancellation uuid, of_tickets uuid[], amount integer, why text,
  OUT verdict text, OUT refund payments.refunds
)
LANGUAGE plpgsql AS $$
DECLARE
  p payments.payments;
  left_krw integer;
  moment timestamptz;
BEGIN
  SELECT * INTO p FROM payments.payments AS one WHERE one.payment_id = of_payment FOR UPDATE;
  moment := urr.now();
  IF p.payment_id IS NULL THEN verdict := 'unknown'; RETURN; END IF;
  SELECT * INTO refund FROM payments.refunds AS one WHERE one.refund_id = as_refund;
  IF refund.refund_id IS NOT NULL THEN verdict := 'known'; RETURN; END IF;
  IF p.captured_krw = 0 THEN verdict := 'nothing_captured'; RETURN; END IF;
  left_krw := p.captured_krw - p.refunded_krw - payments.pending_krw(p.payment_id);
  INSERT INTO payments.refunds AS f (refund_id, payment_id, kind, cancellation_id, ticket_ids, amount_krw, asked_krw, status, reason,
    next_try_at, requested_at)
  VALUES (as_refund, p.payment_id, as_kind, of_cancellation, of_tickets, greatest(0, least(amount, left_krw)), amount, 'requested', why,
    moment, moment)
  RETURNING f.* INTO refund;
  PERFORM payments.note(p, 'refund_requested', moment, jsonb_build_object('kind', as_kind, 'askedKrw', amount), refund);
  verdict := 'requested';
  IF left_krw <= 0 THEN
    PERFORM payments.finish_refund(as_refund, NULL);
    verdict := 'nothing_left';
  END IF;
END $$;

-- Purpose: what is on its way back.
CREATE FUNCTION payments.pending_krw(of_payment uuid) RETURNS integer LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(f.amount_krw), 0)::integer FROM payments.refunds AS f
  WHERE f.payment_id = of_payment AND f.status <> 'done'
$$;

-- Purpose: what a person has settled in another way, of what the provider still has.
CREATE FUNCTION payments.accepted_krw(p payments.payments) RETURNS integer LANGUAGE sql STABLE AS $$
  SELECT greatest(0, least(coalesce(sum(f.accepted_krw), 0), p.captured_krw - p.refunded_krw - payments.pending_krw(p.payment_id)))::integer
  FROM payments.refunds AS f WHERE f.payment_id = p.payment_id
$$;

-- Purpose: refunds that are due, `rows_max` at the most, for one process each; they are `submitted` from now on. One at a time of a payment, so
--   that each is sent with the balance that the one before has left. Whoever takes one has the payment locked: two processes cannot each
--   take another one of it.
-- Returns them. Locks, SKIP LOCKED: the payments; then the refunds.
CREATE FUNCTION payments.take_refunds(rows_max integer) RETURNS SETOF payments.refunds LANGUAGE plpgsql AS $$
DECLARE
  moment CONSTANT timestamptz := urr.now();
  ids uuid[];
BEGIN
  ids := ARRAY(
    SELECT p.payment_id FROM payments.payments AS p
    WHERE p.payment_id IN (
      SELECT due.payment_id FROM payments.refunds AS due WHERE due.next_try_at <= moment ORDER BY due.next_try_at LIMIT rows_max)
    FOR UPDATE SKIP LOCKED);
  RETURN QUERY
    UPDATE payments.refunds AS f SET status = 'submitted', tries = f.tries + 1, first_sent_at = coalesce(f.first_sent_at, moment),
      next_try_at = moment + interval '90 seconds'
    WHERE f.refund_id IN (
      SELECT DISTINCT ON (due.payment_id) due.refund_id FROM payments.refunds AS due
      WHERE due.payment_id = ANY (ids) AND due.next_try_at <= moment AND NOT EXISTS (
        SELECT FROM payments.refunds AS other WHERE other.payment_id = due.payment_id AND other.status = 'submitted'
          AND other.next_try_at > moment)
      ORDER BY due.payment_id, due.next_try_at, due.refund_id)
    RETURNING f.*;
END $$;

-- Purpose: a refund's try has ended without the money having gone, as far as is known. `in_ms` null: it waits for a person.
-- Returns the refund, or nothing: it was done meanwhile.
CREATE FUNCTION payments.put_refund_off(of_refund uuid, as_status text, why text, in_ms bigint)
RETURNS SETOF payments.refunds LANGUAGE plpgsql AS $$
DECLARE
  p payments.payments;
  f payments.refunds;
  moment timestamptz;
BEGIN
  SELECT one.* INTO p FROM payments.payments AS one
    WHERE one.payment_id = (SELECT r.payment_id FROM payments.refunds AS r WHERE r.refund_id = of_refund) FOR UPDATE;
  moment := urr.now();
  UPDATE payments.refunds AS one SET status = as_status, failure = why, next_try_at = moment + in_ms * interval '1 millisecond'
    WHERE one.refund_id = of_refund AND one.status <> 'done' RETURNING one.* INTO f;
  IF f.refund_id IS NULL THEN RETURN; END IF;
  PERFORM payments.note(p, 'refund_' || as_status, moment, jsonb_build_object('failure', why), f);
  RETURN NEXT f;
END $$;

-- Purpose: a refund has happened, at the provider by this reference. Told on payment-events. Repeating it changes nothing.
-- Returns the payment as it is now, or nothing: it was done before. Locks: the payment.
CREATE FUNCTION payments.finish_refund(of_refund uuid, as_reference text) RETURNS SETOF payments.payments LANGUAGE plpgsql AS $$
DECLARE
  p payments.payments;
  f payments.refunds;
  moment timestamptz;
BEGIN
  SELECT one.* INTO p FROM payments.payments AS one
    WHERE one.payment_id = (SELECT r.payment_id FROM payments.refunds AS r WHERE r.refund_id = of_refund) FOR UPDATE;
  moment := urr.now();
  UPDATE payments.refunds AS one SET status = 'done', reference = as_reference, failure = NULL, next_try_at = NULL, done_at = moment
    WHERE one.refund_id = of_refund AND one.status <> 'done' RETURNING one.* INTO f;
  IF f.refund_id IS NULL THEN RETURN; END IF;
  -- Of a deposit that was taken back everything has gone already: what was sent beside it was too much, and jobs/refunds.ts asks a person.
  UPDATE payments.payments AS one SET refunded_krw = least(one.captured_krw, one.refunded_krw + f.amount_krw), version = one.version + 1,
    changed_at = moment,
    status = CASE WHEN one.status = 'reversed' THEN one.status WHEN one.refunded_krw + f.amount_krw >= one.captured_krw THEN 'refunded'
      WHEN one.status = 'orphaned' OR f.amount_krw = 0 THEN one.status ELSE 'partially_refunded' END
  WHERE one.payment_id = f.payment_id RETURNING one.* INTO p;
  PERFORM payments.note(p, 'refunded', moment, jsonb_build_object('reference', as_reference), f);
  PERFORM payments.tell(p, 'PAYMENT_REFUNDED', jsonb_build_object('refundId', f.refund_id, 'refundKrw', f.amount_krw,
    'cancellationId', f.cancellation_id, 'ticketIds', to_jsonb(f.ticket_ids), 'kind', f.kind)
    -- What was found may be what a person had accepted: it does not count twice.
    || CASE WHEN f.kind = 'found' THEN '{}' ELSE jsonb_build_object('refundedKrw', p.refunded_krw + payments.accepted_krw(p)) END, moment);
  RETURN NEXT p;
END $$;

-- Purpose: a refund that is larger than what is left, since money went back elsewhere meanwhile, is cut to it; one of nothing is done.
-- Returns the refund as it is now. Locks: the payment.
CREATE FUNCTION payments.fit_refund(of_refund uuid) RETURNS SETOF payments.refunds LANGUAGE plpgsql AS $$
DECLARE
  p payments.payments;
  f payments.refunds;
  left_krw integer;
  moment timestamptz;
BEGIN
  SELECT one.* INTO p FROM payments.payments AS one
    WHERE one.payment_id = (SELECT r.payment_id FROM payments.refunds AS r WHERE r.refund_id = of_refund) FOR UPDATE;
  moment := urr.now();
  SELECT greatest(0, p.captured_krw - p.refunded_krw - payments.pending_krw(p.payment_id) + one.amount_krw) INTO left_krw
    FROM payments.refunds AS one WHERE one.refund_id = of_refund;
  UPDATE payments.refunds AS one SET amount_krw = left_krw
    WHERE one.refund_id = of_refund AND one.status <> 'done' AND one.amount_krw > left_krw RETURNING one.* INTO f;
  IF f.refund_id IS NOT NULL THEN
    PERFORM payments.note(p, 'refund_cut', moment, jsonb_build_object('askedKrw', f.asked_krw), f);
    IF f.amount_krw = 0 THEN PERFORM payments.finish_refund(of_refund, NULL); END IF;
  END IF;
  RETURN QUERY SELECT one.* FROM payments.refunds AS one WHERE one.refund_id = of_refund;
END $$;

-- Purpose: a refund of which nothing will be sent ends: it is one of nothing, done, and told, so that nobody waits for it. `is_accepted`: a
--   person has settled it in another way. Goodwill was not owed, so nothing is kept of it.
-- Locks: the payment.
CREATE FUNCTION payments.end_refund(of_refund uuid, why text, is_accepted boolean DEFAULT false) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  p payments.payments;
  f payments.refunds;
  moment timestamptz;
BEGIN
  SELECT one.* INTO p FROM payments.payments AS one
    WHERE one.payment_id = (SELECT r.payment_id FROM payments.refunds AS r WHERE r.refund_id = of_refund) FOR UPDATE;
  moment := urr.now();
  UPDATE payments.refunds AS one SET amount_krw = 0,
    accepted_krw = CASE WHEN is_accepted AND one.kind <> 'goodwill' THEN one.amount_krw ELSE 0 END
  WHERE one.refund_id = of_refund AND one.status <> 'done' RETURNING one.* INTO f;
  IF f.refund_id IS NULL THEN RETURN; END IF;
  PERFORM payments.note(p, 'refund_ended', moment, jsonb_build_object('askedKrw', f.asked_krw, 'acceptedKrw', f.accepted_krw, 'reason', why), f);
  PERFORM payments.finish_refund(of_refund, NULL);
END $$;

-- Purpose: money that was found to have gone back at the provider without us. It is a refund of ours from now on, done, and told. What was on
--   its way back and is too much now is cut, the newest first.
-- Returns the payment, or nothing: it was known, or is more than was captured. Locks: the payment.
CREATE FUNCTION payments.adopt_refund(as_refund uuid, of_payment uuid, amount integer, as_reference text)
RETURNS SETOF payments.payments LANGUAGE plpgsql AS $$
DECLARE
  p payments.payments;
  moment timestamptz;
BEGIN
  SELECT * INTO p FROM payments.payments AS one WHERE one.payment_id = of_payment FOR UPDATE;
  moment := urr.now();
  IF p.payment_id IS NULL OR amount <= 0 OR p.refunded_krw + amount > p.captured_krw THEN RETURN; END IF;
  INSERT INTO payments.refunds (refund_id, payment_id, kind, amount_krw, asked_krw, status, reason, requested_at)
    VALUES (as_refund, of_payment, 'found', amount, amount, 'submitted', 'found at the provider', moment)
    ON CONFLICT DO NOTHING;
  IF NOT EXISTS (SELECT FROM payments.finish_refund(as_refund, as_reference)) THEN RETURN; END IF;
  PERFORM payments.fit_refund(f.refund_id) FROM (
    SELECT one.refund_id FROM payments.refunds AS one WHERE one.payment_id = of_payment AND one.status <> 'done'
    ORDER BY one.requested_at DESC, one.refund_id OFFSET 0) AS f;
  RETURN QUERY SELECT one.* FROM payments.payments AS one WHERE one.payment_id = of_payment;
END $$;

-- Purpose: a deposit that was captured was taken back by the bank. It counts as refunded as a whole; what was to go back ends. What may have
--   been sent already is left to its next try, which finds out. The refunds end first: they are told with older versions than the reversal.
-- Returns the payment, or nothing: it was known, or was never captured. Locks: the payment.
CREATE FUNCTION payments.reverse(of_payment uuid, why text) RETURNS SETOF payments.payments LANGUAGE plpgsql AS $$
DECLARE
  p payments.payments;
  moment timestamptz;
BEGIN
  SELECT * INTO p FROM payments.payments AS one WHERE one.payment_id = of_payment FOR UPDATE;
  moment := urr.now();
  IF p.status IS NULL OR p.status NOT IN ('captured', 'partially_refunded', 'orphaned') THEN RETURN; END IF;
  PERFORM payments.end_refund(f.refund_id, why) FROM (
    SELECT one.refund_id FROM payments.refunds AS one WHERE one.payment_id = of_payment AND one.status IN ('requested', 'failed', 'manual')
    ORDER BY one.requested_at, one.refund_id OFFSET 0) AS f;
  UPDATE payments.payments AS one SET status = 'reversed', version = one.version + 1, refunded_krw = one.captured_krw, is_settled = true,
    -- Somebody closes its account.
    changed_at = moment, next_check_at = moment, checks = 0
  WHERE one.payment_id = of_payment RETURNING one.* INTO p;
  PERFORM payments.note(p, 'reversed', moment, jsonb_build_object('reason', why));
  PERFORM payments.tell(p, 'PAYMENT_REVERSED', jsonb_build_object('reason', why), moment);
  RETURN NEXT p;
END $$;

-- Purpose: a deposit has come to an account whose deposit had been taken back or given back. There is nothing to give for it: it goes back as
--   `as_refund`.
-- Returns the payment, or nothing: it was known. Locks: the payment.
CREATE FUNCTION payments.deposit_again(of_payment uuid, as_refund uuid, amount integer) RETURNS SETOF payments.payments LANGUAGE plpgsql AS $$
DECLARE
  p payments.payments;
  moment timestamptz;
BEGIN
  PERFORM FROM payments.payments AS one WHERE one.payment_id = of_payment FOR UPDATE;
  moment := urr.now();
  UPDATE payments.payments AS one SET status = 'orphaned', is_orphan = true, version = one.version + 1,
    captured_krw = one.captured_krw + amount, changed_at = moment
  WHERE one.payment_id = of_payment AND one.status IN ('reversed', 'refunded') AND amount > 0 RETURNING one.* INTO p;
  IF p.payment_id IS NULL THEN RETURN; END IF;
  PERFORM payments.note(p, 'deposit_again', moment, NULL);
  PERFORM payments.request_refund(as_refund, of_payment, 'orphan', NULL, '{}', amount, 'the deposit before was taken back');
  RETURN NEXT p;
END $$;

-- Purpose: what an attempt is now is told once more, for a reader that may have missed it. A capture is told with the version that it had, so
--   that it overtakes no refund.
CREATE FUNCTION payments.tell_again(of_payments uuid[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  p payments.payments;
  moment CONSTANT timestamptz := urr.now();
BEGIN
  FOR p IN SELECT * FROM payments.payments AS one WHERE one.payment_id = ANY (of_payments) ORDER BY one.payment_id LOOP
    CASE
      WHEN p.status IN ('created', 'capturing', 'unknown') THEN
        CONTINUE;
      WHEN p.captured_krw > 0 THEN
        SELECT min(l.version) INTO p.version FROM payments.ledger AS l WHERE l.payment_id = p.payment_id AND l.act = 'captured';
        PERFORM payments.tell(p, 'PAYMENT_CONFIRMED', '{}', moment);
      WHEN p.status = 'waiting_for_deposit' THEN
        PERFORM payments.tell(p, 'PAYMENT_WAITING_FOR_DEPOSIT', jsonb_build_object('depositUntil', urr.iso_time(p.deposit_until)), moment);
      ELSE
        PERFORM payments.tell(p, 'PAYMENT_FAILED', jsonb_build_object('reason', coalesce(p.decline_reason, p.status)), moment);
    END CASE;
  END LOOP;
END $$;

-- Purpose: what these things' live attempts would pay for is no longer wanted: each is looked at at once.
CREATE FUNCTION payments.no_longer_wanted(of_references uuid[]) RETURNS void LANGUAGE sql AS $$
  UPDATE payments.payments AS p SET refund_requested = true, next_check_at = urr.now()
  FROM payments.orders AS o
  WHERE o.order_id = p.order_id AND o.reference_id = ANY (of_references)
    AND p.status IN ('created', 'capturing', 'unknown', 'waiting_for_deposit')
$$;

-- Purpose: a payment that the provider has and we do not, for an order of ours: an attempt that has ended, until its money is booked.
-- Returns it, also if it was there; nothing where the order is not ours, or was given to another provider.
CREATE FUNCTION payments.adopt_payment(as_payment uuid, of_order text, by_provider text, by_key text)
RETURNS SETOF payments.payments LANGUAGE plpgsql AS $$
DECLARE
  p payments.payments;
  moment CONSTANT timestamptz := urr.now();
BEGIN
  INSERT INTO payments.payments AS one (payment_id, order_id, provider, payment_key, method, status, amount_krw, created_at, changed_at)
    SELECT as_payment, o.order_id, o.provider, by_key, o.method, 'abandoned', o.amount_krw, moment, moment
    FROM payments.orders AS o WHERE o.order_id = of_order AND o.provider = by_provider
    ON CONFLICT DO NOTHING RETURNING one.* INTO p;
  IF p.payment_id IS NOT NULL THEN PERFORM payments.note(p, 'adopted', moment, NULL); END IF;
  RETURN QUERY SELECT one.* FROM payments.payments AS one JOIN payments.orders AS o USING (order_id)
    WHERE one.payment_key = by_key AND one.provider = by_provider AND o.order_id = of_order;
END $$;
