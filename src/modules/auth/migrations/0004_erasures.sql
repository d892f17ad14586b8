-- Accounts that were given up. The account itself is gone when the row is there; the other modules are told by a job, until each
-- has forgotten the user (service/erasure.ts). The id leads nowhere, so the row stays: it says that a request was met, and when.
CREATE TABLE auth.erasures (
  user_id         uuid PRIMARY KEY,
  accepted_at     timestamptz NOT NULL DEFAULT urr.now(),
  -- The last access token is over then. What was done with it has to be forgotten as well.
  access_ends_at  timestamptz NOT NULL,
  -- Modules that were asked after that and have nothing left.
  erased_in       text[] NOT NULL DEFAULT '{}',
  tries           integer NOT NULL DEFAULT 0,
  next_try_at     timestamptz NOT NULL DEFAULT urr.now(),
  done_at         timestamptz
);
CREATE INDEX erasures_due ON auth.erasures (next_try_at) WHERE done_at IS NULL;

-- All sessions of a user, ended ones as well: they are shown to the user, and go with the account.
CREATE INDEX refresh_families_user ON auth.refresh_families (user_id);
