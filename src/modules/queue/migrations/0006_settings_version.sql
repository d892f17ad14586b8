-- Raised whenever an operator changes a setting. The store is told it: one that knows a later version than this shows that these
-- rows went back, as after the restore of a backup, and that its settings are the later ones.
ALTER TABLE queue.events ADD COLUMN settings_version integer NOT NULL DEFAULT 0;
