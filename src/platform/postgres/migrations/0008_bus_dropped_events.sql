-- A person has dropped this event from the letters of the group: it is to have no effect, also when the group reads its topic
-- again from the beginning, which forgets all other rows of the inbox.
ALTER TABLE urr.inbox ADD COLUMN dropped_at timestamptz;
