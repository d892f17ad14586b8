-- Tier 1 takes the next era for its own numbers when it is switched on, and `era`, of the store's own, goes on behind it when it is
-- switched off. The store is told the version: one that knows a later one than this shows that these rows went back.
ALTER TABLE queue.events
  ADD COLUMN room_on boolean NOT NULL DEFAULT false,
  ADD COLUMN room_era integer NOT NULL DEFAULT 0 CHECK (room_era BETWEEN 0 AND 511),
  ADD COLUMN room_version integer NOT NULL DEFAULT 0;
