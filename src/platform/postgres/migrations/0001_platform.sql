-- What every database of urr has, whichever modules live in it.

-- The one clock of all SQL. Tests replace this function to own time; nothing else may.
CREATE FUNCTION urr.now() RETURNS timestamptz
  LANGUAGE sql VOLATILE PARALLEL SAFE
  AS 'SELECT pg_catalog.clock_timestamp()';

-- Who did what, before and after. Written in the transaction that does it; never changed afterwards.
CREATE TABLE urr.audit_log (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at          timestamptz NOT NULL DEFAULT urr.now(),
  actor_id    text NOT NULL,
  actor_role  text NOT NULL,
  action      text NOT NULL,
  subject     text NOT NULL,
  before      jsonb,
  after       jsonb,
  request_id  text
);
CREATE INDEX audit_log_subject ON urr.audit_log (subject, id DESC);
CREATE INDEX audit_log_actor ON urr.audit_log (actor_id, id DESC);

CREATE FUNCTION urr.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit log is append-only';
END $$;
CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE ON urr.audit_log
  FOR EACH ROW EXECUTE FUNCTION urr.refuse_change();

-- The answer to a request that must have its effect once, kept with the effect in one transaction.
CREATE TABLE urr.idempotency_keys (
  user_id      text NOT NULL,
  method       text NOT NULL,
  route        text NOT NULL,
  key          text NOT NULL,
  fingerprint  text NOT NULL,
  status       integer NOT NULL,
  body         jsonb,
  created_at   timestamptz NOT NULL DEFAULT urr.now(),
  PRIMARY KEY (user_id, method, route, key)
);
CREATE INDEX idempotency_keys_age ON urr.idempotency_keys (created_at);
