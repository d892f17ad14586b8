-- The sandbox: a payment provider that moves no money. It stands for something outside, so nothing here refers to the other tables, nor they
-- to these. What a payment is follows from its row, its movements and the time; nothing has to run for that, and a killed process changes
-- nothing. Card numbers are nowhere: `plan` says what the sandbox does about a payment (domain/sandbox-cards.ts).

CREATE TABLE payments.sandbox_payments (
  payment_key     text PRIMARY KEY,
  order_id        text NOT NULL,
  method          text NOT NULL CHECK (method IN ('card', 'virtual_account')),
  amount_krw      integer NOT NULL CHECK (amount_krw > 0),
  plan            jsonb NOT NULL,
  tries           integer NOT NULL DEFAULT 1,
  refund_tries    integer NOT NULL DEFAULT 0,
  created_at      timestamptz NOT NULL,
  decline_code    text,
  -- Of a virtual account that is open, or was.
  account_number  text,
  deposit_until   timestamptz,
  closed_at       timestamptz
) WITH (fillfactor = 80);
CREATE INDEX sandbox_payments_by_order ON payments.sandbox_payments (order_id, created_at);

-- Money that moved; one whose time has not come has not moved yet. Times are whole milliseconds, as the port has them.
CREATE TABLE payments.sandbox_movements (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  payment_key  text NOT NULL REFERENCES payments.sandbox_payments (payment_key),
  kind         text NOT NULL CHECK (kind IN ('captured', 'refunded', 'reversed')),
  amount_krw   integer NOT NULL CHECK (amount_krw > 0),
  at           timestamptz NOT NULL,
  -- The idempotency key of a refund; null for one that was made at the console.
  refund_id    text
);
CREATE INDEX sandbox_movements_by_payment ON payments.sandbox_movements (payment_key, id);
CREATE UNIQUE INDEX sandbox_movements_once ON payments.sandbox_movements (payment_key, refund_id) WHERE refund_id IS NOT NULL;
CREATE INDEX sandbox_movements_by_time ON payments.sandbox_movements (at, id) WHERE kind <> 'reversed';

-- Webhooks to be called.
CREATE TABLE payments.sandbox_callbacks (
  id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  body    jsonb NOT NULL,
  due_at  timestamptz NOT NULL,
  tries   integer NOT NULL DEFAULT 0
);
CREATE INDEX sandbox_callbacks_due ON payments.sandbox_callbacks (due_at);

CREATE FUNCTION payments.sandbox_now() RETURNS timestamptz LANGUAGE sql AS $$ SELECT date_trunc('milliseconds', urr.now()) $$;

CREATE FUNCTION payments.sandbox_ms(at timestamptz) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT round(extract(epoch FROM at) * 1000)::bigint
$$;

-- A payment that is not captured lasts so long; a virtual account lasts until its deadline.
CREATE FUNCTION payments.sandbox_is_over(p payments.sandbox_payments, moment timestamptz) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(p.deposit_until, p.created_at + interval '10 minutes') <= moment
$$;

-- The sandbox plays dead about this payment for a while after its first call.
CREATE FUNCTION payments.sandbox_is_down(p payments.sandbox_payments, moment timestamptz) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(moment < p.created_at + (p.plan->>'downMs')::integer * interval '1 millisecond', false)
$$;

-- Purpose: a payment as the port has it (`ProviderPayment`), at this moment. Cost: one statement.
CREATE FUNCTION payments.sandbox_view(p payments.sandbox_payments, moment timestamptz) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object(
    'paymentKey', p.payment_key, 'orderId', p.order_id, 'amountKrw', p.amount_krw, 'currency', 'KRW', 'method', p.method,
    'balanceKrw', m.balance, 'wasCaptured', m.was_captured, 'refunds', m.refunds,
    'status', CASE
      WHEN m.balance > 0 THEN 'captured'
      WHEN m.was_captured AND NOT m.was_reversed THEN 'refunded'
      WHEN p.decline_code IS NOT NULL OR p.closed_at IS NOT NULL THEN 'failed'
      WHEN payments.sandbox_is_over(p, moment) THEN 'expired'
      WHEN p.account_number IS NOT NULL THEN 'waiting_for_deposit'
      ELSE 'in_progress' END,
    'account', CASE WHEN p.account_number IS NOT NULL THEN jsonb_build_object('bank', 'Sandbox Bank', 'number', p.account_number,
      'depositUntilMs', payments.sandbox_ms(p.deposit_until)) END)
  FROM (
    SELECT coalesce(sum(CASE moved.kind WHEN 'captured' THEN moved.amount_krw ELSE -moved.amount_krw END), 0)::integer AS balance,
      coalesce(bool_or(moved.kind = 'captured'), false) AS was_captured,
      coalesce(bool_or(moved.kind = 'reversed'), false) AS was_reversed,
      coalesce(jsonb_agg(jsonb_build_object('reference', moved.id::text, 'refundId', moved.refund_id, 'amountKrw', moved.amount_krw,
        'atMs', payments.sandbox_ms(moved.at)) ORDER BY moved.id) FILTER (WHERE moved.kind = 'refunded'), '[]') AS refunds
    FROM payments.sandbox_movements AS moved WHERE moved.payment_key = p.payment_key AND moved.at <= moment
  ) AS m
$$;

-- Purpose: a webhook about a payment will be called. `claims` is what it says; a lie is as good as the truth, since webhooks are hints.
CREATE FUNCTION payments.sandbox_call_back(p payments.sandbox_payments, claims text, due timestamptz) RETURNS void LANGUAGE sql AS $$
  INSERT INTO payments.sandbox_callbacks (body, due_at) VALUES (jsonb_build_object(
    'type', 'payment.changed', 'paymentKey', p.payment_key, 'orderId', p.order_id, 'status', claims), due)
$$;

-- Purpose: takes the money or opens the virtual account, by `as_plan`, which stays with the payment from its first call on. A key is captured
--   once, however often it is called.
-- Returns `captured`, `waiting_for_deposit` with the payment; `declined` with a code; `slow` with how long the answer still takes; `silent`
--   (there is no answer), `down` (a fault), `over` (it was captured and taken back).
-- Locks: the payment. Waits for nothing else: the caller plays the delays. Cost: three short statements where it approves.
CREATE FUNCTION payments.sandbox_capture(
  of_key text, of_order text, by_method text, amount integer, as_plan jsonb, until timestamptz,
  OUT verdict text, OUT code text, OUT wait_ms integer, OUT payment jsonb
)
LANGUAGE plpgsql AS $$
DECLARE
  p payments.sandbox_payments;
  moment timestamptz;
  taken_at timestamptz;
BEGIN
  INSERT INTO payments.sandbox_payments AS one (payment_key, order_id, method, amount_krw, plan, created_at)
    VALUES (of_key, of_order, by_method, amount, as_plan, payments.sandbox_now())
    ON CONFLICT (payment_key) DO UPDATE SET tries = one.tries + 1 RETURNING one.* INTO p;
  moment := payments.sandbox_now();
  IF (p.order_id, p.method, p.amount_krw) IS DISTINCT FROM (of_order, by_method, amount) THEN
    verdict := 'declined'; code := CASE WHEN p.order_id = '' THEN 'PAYMENT_CLOSED' ELSE 'KEY_OF_ANOTHER_PAYMENT' END; RETURN;
  END IF;
  IF payments.sandbox_is_down(p, moment) OR p.tries <= (p.plan->>'failsTries')::integer THEN verdict := 'down'; RETURN; END IF;
  IF p.tries > 1 THEN
    SELECT m.at INTO taken_at FROM payments.sandbox_movements AS m WHERE m.payment_key = of_key AND m.kind = 'captured' ORDER BY m.id LIMIT 1;
  END IF;

  IF taken_at IS NULL AND p.account_number IS NULL THEN
    p.decline_code := coalesce(p.decline_code, CASE WHEN p.closed_at IS NOT NULL THEN 'PAYMENT_CLOSED'
      WHEN payments.sandbox_is_over(p, moment) THEN 'PAYMENT_EXPIRED' ELSE p.plan->>'declines' END);
    IF p.decline_code IS NOT NULL THEN
      UPDATE payments.sandbox_payments AS one SET decline_code = p.decline_code WHERE one.payment_key = of_key;
      verdict := 'declined'; code := p.decline_code; RETURN;
    END IF;
    IF p.tries = 1 AND p.plan->>'losesCapture' = 'before' THEN verdict := 'silent'; RETURN; END IF;
    IF by_method = 'virtual_account' THEN
      UPDATE payments.sandbox_payments AS one SET deposit_until = date_trunc('milliseconds', until),
        account_number = lpad((hashtextextended(of_key, 0) & 9223372036854775807)::text, 14, '0')
      WHERE one.payment_key = of_key RETURNING one.* INTO p;
    ELSE
      taken_at := moment + coalesce((p.plan->>'delayMs')::integer, 0) * interval '1 millisecond';
      INSERT INTO payments.sandbox_movements (payment_key, kind, amount_krw, at) VALUES (of_key, 'captured', amount, taken_at);
    END IF;
    IF p.plan ? 'callsBack' THEN
      PERFORM payments.sandbox_call_back(p, call->>'claims', coalesce(taken_at, moment) + (call->>'afterMs')::integer * interval '1 millisecond')
        FROM jsonb_array_elements(p.plan->'callsBack') AS call;
    END IF;
    IF p.tries = 1 AND p.plan->>'losesCapture' = 'after' THEN verdict := 'silent'; RETURN; END IF;
  END IF;

  IF taken_at > moment THEN
    verdict := 'slow'; wait_ms := payments.sandbox_ms(taken_at) - payments.sandbox_ms(moment); RETURN;
  END IF;
  payment := payments.sandbox_view(p, moment);
  verdict := CASE
    WHEN payment->>'status' IN ('captured', 'refunded') THEN 'captured'
    WHEN payment->>'status' = 'waiting_for_deposit' THEN 'waiting_for_deposit'
    WHEN (payment->>'wasCaptured')::boolean THEN 'over'
    ELSE 'declined' END;
  IF verdict = 'declined' THEN code := CASE WHEN p.closed_at IS NULL THEN 'PAYMENT_EXPIRED' ELSE 'PAYMENT_CLOSED' END; END IF;
END $$;

-- Purpose: gives money back; or, where there is none and `amount` is null, closes the payment, so that it cannot be captured any more. A deposit
--   may still come to an account that is closed, as at a bank. `as_refund` null: somebody does it at the console. Repeatable by `as_refund`.
-- Returns `done` with reference and payment; `refused` with a code; `later` with how long; `silent` (there is no answer).
-- Locks: the payment. Cost: five short statements.
CREATE FUNCTION payments.sandbox_refund(
  of_key text, as_refund text, amount integer, believed_balance integer, has_account boolean,
  OUT verdict text, OUT code text, OUT wait_ms integer, OUT reference text, OUT payment jsonb
)
LANGUAGE plpgsql AS $$
DECLARE
  p payments.sandbox_payments;
  moment timestamptz;
  balance integer;
BEGIN
  IF amount IS NULL AND as_refund IS NOT NULL THEN
    -- A key that nobody has used yet is closed, too: the call that brings it may still be on its way.
    INSERT INTO payments.sandbox_payments (payment_key, order_id, method, amount_krw, plan, created_at)
      VALUES (of_key, '', 'card', 1, '{}', payments.sandbox_now()) ON CONFLICT DO NOTHING;
  END IF;
  UPDATE payments.sandbox_payments AS one SET refund_tries = one.refund_tries + (as_refund IS NOT NULL)::integer
    WHERE one.payment_key = of_key RETURNING one.* INTO p;
  moment := payments.sandbox_now();
  IF p.payment_key IS NULL THEN verdict := 'refused'; code := 'PAYMENT_NOT_FOUND'; RETURN; END IF;
  IF payments.sandbox_is_down(p, moment) THEN
    verdict := 'later';
    wait_ms := payments.sandbox_ms(p.created_at) + (p.plan->>'downMs')::integer - payments.sandbox_ms(moment);
    RETURN;
  END IF;
  payment := payments.sandbox_view(p, moment);
  SELECT m.id::text INTO reference FROM payments.sandbox_movements AS m WHERE m.payment_key = of_key AND m.refund_id = as_refund;
  IF reference IS NOT NULL THEN verdict := 'done'; RETURN; END IF;
  IF p.refund_tries = 1 AND p.plan->>'losesRefund' = 'before' AND as_refund IS NOT NULL THEN verdict := 'silent'; RETURN; END IF;

  balance := (payment->>'balanceKrw')::integer;
  IF balance = 0 AND amount IS NULL AND payment->>'status' <> 'refunded' THEN
    -- A capture that was on its way does not come any more.
    DELETE FROM payments.sandbox_movements AS m WHERE m.payment_key = of_key AND m.at > moment;
    UPDATE payments.sandbox_payments AS one SET closed_at = coalesce(one.closed_at, moment) WHERE one.payment_key = of_key RETURNING one.* INTO p;
    reference := 'closed';
  ELSE
    code := CASE
      WHEN amount <= 0 OR amount > balance OR balance = 0 THEN 'EXCEEDS_BALANCE'
      WHEN believed_balance <> balance THEN 'BALANCE_DIFFERS'
      WHEN p.method = 'virtual_account' AND NOT has_account THEN 'ACCOUNT_NEEDED' END;
    IF code IS NOT NULL THEN verdict := 'refused'; payment := NULL; RETURN; END IF;
    INSERT INTO payments.sandbox_movements AS m (payment_key, kind, amount_krw, at, refund_id)
      VALUES (of_key, 'refunded', coalesce(amount, balance), moment, as_refund) RETURNING m.id::text INTO reference;
    IF as_refund IS NULL THEN PERFORM payments.sandbox_call_back(p, 'refunded', moment); END IF;
  END IF;
  IF p.refund_tries = 1 AND p.plan->>'losesRefund' = 'after' AND as_refund IS NOT NULL THEN verdict := 'silent'; RETURN; END IF;
  verdict := 'done';
  payment := payments.sandbox_view(p, moment);
END $$;

-- Purpose: the bank of the newest virtual account of an order. `act` `deposit`: the whole amount comes, also after the deadline or when the
--   account is closed, unless it is there already. `reverse`: what is there is taken back. Its webhook follows at once.
-- Returns whether money moved. Locks: the payment.
CREATE FUNCTION payments.sandbox_bank(of_order text, act text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  p payments.sandbox_payments;
  moment timestamptz;
  balance integer;
BEGIN
  SELECT * INTO p FROM payments.sandbox_payments AS one WHERE one.order_id = of_order AND one.account_number IS NOT NULL
    ORDER BY one.created_at DESC LIMIT 1 FOR UPDATE;
  IF p.payment_key IS NULL THEN RETURN false; END IF;
  moment := payments.sandbox_now();
  balance := (payments.sandbox_view(p, moment)->>'balanceKrw')::integer;
  IF (act = 'deposit') <> (balance = 0) THEN RETURN false; END IF;
  INSERT INTO payments.sandbox_movements (payment_key, kind, amount_krw, at) VALUES (p.payment_key,
    CASE act WHEN 'deposit' THEN 'captured' ELSE 'reversed' END, CASE act WHEN 'deposit' THEN p.amount_krw ELSE balance END, moment);
  PERFORM payments.sandbox_call_back(p, CASE act WHEN 'deposit' THEN 'captured' ELSE 'waiting_for_deposit' END, moment);
  RETURN true;
END $$;

-- Purpose: webhooks that are due, `rows_max` at the most, for one process each. They are due again later, and each time later than before; the one
--   that succeeds deletes its row, and so does the last try.
-- Returns them in the order in which they came to be. Locks, SKIP LOCKED: the rows.
CREATE FUNCTION payments.sandbox_take_callbacks(rows_max integer) RETURNS SETOF payments.sandbox_callbacks LANGUAGE sql AS $$
  WITH taken AS (
    UPDATE payments.sandbox_callbacks AS c SET tries = c.tries + 1, due_at = urr.now() + interval '1 second' * 4 ^ c.tries
    WHERE c.id IN (
      SELECT due.id FROM payments.sandbox_callbacks AS due WHERE due.due_at <= (SELECT urr.now())
      ORDER BY due.due_at, due.id LIMIT rows_max FOR UPDATE SKIP LOCKED)
    RETURNING c.*
  )
  SELECT * FROM taken ORDER BY id
$$;
