-- Users who have given up their account. Their access tokens last some minutes longer: nothing is paid for or confirmed with them.
CREATE TABLE ticketing.erased_users (
  user_id    uuid PRIMARY KEY,
  erased_at  timestamptz NOT NULL DEFAULT urr.now()
);
