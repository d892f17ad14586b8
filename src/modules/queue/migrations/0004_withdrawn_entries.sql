-- Buffered entries whose users left before they were consumed: they take no place any more.
CREATE TABLE queue.withdrawn_entries (
  event_id      uuid NOT NULL,
  user_id       text NOT NULL,
  -- When it was asked for, as its ticket and its message say it: that names the entry, whatever the clocks of two processes are.
  requested_at  timestamptz NOT NULL,
  noted_at      timestamptz NOT NULL DEFAULT urr.now(),
  PRIMARY KEY (event_id, user_id, requested_at)
);
CREATE INDEX withdrawn_entries_noted ON queue.withdrawn_entries (noted_at);
