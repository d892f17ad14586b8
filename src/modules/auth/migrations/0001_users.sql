-- People who can sign in. `email` is kept normalised (NFKC, trimmed, lower case), so a plain unique index suffices.
CREATE TABLE auth.users (
  id                 uuid PRIMARY KEY,
  email              text NOT NULL,
  -- Null until somebody has shown that the address is theirs; only a sign-in provider can show it.
  email_verified_at  timestamptz,
  name               text NOT NULL,
  role               text NOT NULL CHECK (role IN ('buyer', 'seller', 'operator', 'admin')),
  -- A PHC string, which carries its own algorithm and cost. Null: this user signs in with a provider only.
  password_hash      text,
  created_at         timestamptz NOT NULL DEFAULT urr.now(),
  disabled_at        timestamptz
);
CREATE UNIQUE INDEX users_email ON auth.users (email);
-- The operator's search is by prefix, which these serve whatever the collation is.
CREATE INDEX users_email_prefix ON auth.users (email text_pattern_ops);
CREATE INDEX users_name_prefix ON auth.users (lower(name) text_pattern_ops);
CREATE INDEX users_admins ON auth.users (id) WHERE role = 'admin';

-- Who a user is at a sign-in provider. The provider's subject never changes; an email there may.
CREATE TABLE auth.external_identities (
  provider   text NOT NULL,
  subject    text NOT NULL,
  user_id    uuid NOT NULL REFERENCES auth.users (id),
  linked_at  timestamptz NOT NULL DEFAULT urr.now(),
  PRIMARY KEY (provider, subject)
);
CREATE INDEX external_identities_user ON auth.external_identities (user_id);
