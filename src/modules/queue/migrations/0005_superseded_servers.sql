-- Servers that kept this event before the present one, the latest first. They may still be alive and must not take it back while
-- the present one serves.
ALTER TABLE queue.events ADD COLUMN superseded text[] NOT NULL DEFAULT '{}';

-- When a process last had an answer from a server of the store.
CREATE TABLE queue.servers (
  identity  text PRIMARY KEY,
  seen_at   timestamptz NOT NULL
);

-- Changes of an epoch that is over, brought here from a server that was superseded, until they are merged into the present one.
CREATE TABLE queue.late_changes (
  id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  event_id  uuid NOT NULL,
  change    jsonb NOT NULL,
  noted_at  timestamptz NOT NULL DEFAULT urr.now()
);
CREATE INDEX late_changes_event ON queue.late_changes (event_id, id);
