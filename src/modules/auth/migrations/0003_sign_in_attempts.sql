-- Failed sign-ins, counted alike for accounts that exist and those that do not. The key is a hash, since people type
-- passwords into the email field, and of fixed size whatever was sent.
CREATE TABLE auth.sign_in_attempts (
  key            bytea PRIMARY KEY,
  failures       integer NOT NULL DEFAULT 0,
  -- Attempts let through whose outcome is not known yet.
  pending        integer NOT NULL DEFAULT 0,
  touched_at     timestamptz NOT NULL,
  blocked_until  timestamptz NOT NULL,
  -- The user has signed in from here before: strangers' failures do not count against this address.
  known_until    timestamptz NOT NULL
);
CREATE INDEX sign_in_attempts_age ON auth.sign_in_attempts (touched_at);

-- Purpose: let one attempt through, or say how long to wait. Decides and counts under one row lock, so that a thousand
--          attempts sent at once are not all let through before the first has failed.
-- Returns: milliseconds to wait (0: go on), and whether the address is known.
-- Cost:    one row.
CREATE FUNCTION auth.open_attempt(p_key bytea, p_pending_max integer, p_pending_ms integer, p_forget_ms integer)
RETURNS TABLE (wait_ms integer, known boolean) LANGUAGE plpgsql AS $$
DECLARE
  v_row auth.sign_in_attempts;
  v_now timestamptz := urr.now();
BEGIN
  INSERT INTO auth.sign_in_attempts AS a (key, touched_at, blocked_until, known_until)
  VALUES (p_key, v_now, v_now, v_now)
  ON CONFLICT (key) DO UPDATE SET key = excluded.key
  RETURNING a.* INTO v_row;
  -- The lock may have been waited for.
  v_now := greatest(v_now, urr.now());
  IF v_row.blocked_until > v_now THEN
    RETURN QUERY SELECT ceil(extract(epoch FROM v_row.blocked_until - v_now) * 1000)::integer, v_row.known_until > v_now;
    RETURN;
  END IF;
  -- A process that died took its pending attempts with it.
  IF v_row.touched_at < v_now - make_interval(secs => p_pending_ms / 1000.0) THEN v_row.pending := 0; END IF;
  IF v_row.touched_at < v_now - make_interval(secs => p_forget_ms / 1000.0) THEN v_row.failures := 0; END IF;
  IF v_row.pending >= p_pending_max THEN
    RETURN QUERY SELECT 1000, v_row.known_until > v_now;
    RETURN;
  END IF;
  UPDATE auth.sign_in_attempts
     SET pending = v_row.pending + 1, failures = v_row.failures, touched_at = v_now
   WHERE key = p_key;
  RETURN QUERY SELECT 0, v_row.known_until > v_now;
END $$;

-- Purpose: write down how an attempt ended. `failed` counts and blocks with growing waits; `succeeded` forgives and
--          remembers the address; `withdrawn` (not tested after all) changes nothing but the pending count.
-- Cost:    one row.
CREATE FUNCTION auth.close_attempt(
  p_key bytea, p_outcome text, p_free integer, p_first_wait_ms integer, p_wait_max_ms integer, p_known_ms bigint
) RETURNS void LANGUAGE sql AS $$
  UPDATE auth.sign_in_attempts
     SET pending = greatest(pending - 1, 0),
         failures = CASE p_outcome WHEN 'failed' THEN failures + 1 WHEN 'succeeded' THEN 0 ELSE failures END,
         blocked_until = CASE
           WHEN p_outcome = 'failed' AND failures + 1 >= p_free
             THEN urr.now() + make_interval(secs =>
               least(p_wait_max_ms, p_first_wait_ms * power(2, least(failures + 1 - p_free, 20))) / 1000.0)
           WHEN p_outcome = 'succeeded' THEN urr.now()
           ELSE blocked_until END,
         known_until = CASE p_outcome
           WHEN 'succeeded' THEN urr.now() + make_interval(secs => p_known_ms / 1000.0) ELSE known_until END
   WHERE key = p_key;
$$;
