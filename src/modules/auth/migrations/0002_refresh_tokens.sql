-- One family per sign-in. Revocation is a fact about the family and is checked at every rotation, so a token that a
-- rotation makes while the family is being revoked is born dead.
CREATE TABLE auth.refresh_families (
  id              uuid PRIMARY KEY,
  user_id         uuid NOT NULL REFERENCES auth.users (id),
  created_at      timestamptz NOT NULL DEFAULT urr.now(),
  -- Absolute: rotation does not move it.
  expires_at      timestamptz NOT NULL,
  revoked_at      timestamptz,
  revoked_reason  text CHECK (revoked_reason IN ('signed_out', 'reused', 'role_changed', 'disabled', 'email_claimed')),
  CHECK ((revoked_at IS NULL) = (revoked_reason IS NULL))
);
CREATE INDEX refresh_families_live_user ON auth.refresh_families (user_id) WHERE revoked_at IS NULL;
CREATE INDEX refresh_families_expiry ON auth.refresh_families (expires_at);
CREATE INDEX refresh_families_revoked ON auth.refresh_families (revoked_at) WHERE revoked_at IS NOT NULL;

-- The chain of one family. Spent tokens stay until they expire: seeing one again is how theft is noticed.
CREATE TABLE auth.refresh_tokens (
  token_hash      bytea PRIMARY KEY,
  family_id       uuid NOT NULL REFERENCES auth.refresh_families (id) ON DELETE CASCADE,
  issued_at       timestamptz NOT NULL DEFAULT urr.now(),
  -- Idle limit, never past the family's own.
  expires_at      timestamptz NOT NULL,
  spent_at        timestamptz,
  successor_hash  bytea UNIQUE,
  -- With the spent token itself this yields the successor again; erased once the successor is spent.
  successor_salt  bytea,
  CHECK ((spent_at IS NULL) = (successor_hash IS NULL))
);
CREATE INDEX refresh_tokens_family ON auth.refresh_tokens (family_id);
CREATE INDEX refresh_tokens_expiry ON auth.refresh_tokens (expires_at);
