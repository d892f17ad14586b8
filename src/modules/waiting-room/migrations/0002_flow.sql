-- A rate that follows a plan, and one that follows the line behind the room.
ALTER TABLE waiting_room.rooms
  -- [{"atMs": …, "rate": …}], earliest first: from each time on, its rate.
  ADD COLUMN ramp jsonb,
  ADD COLUMN is_auto boolean NOT NULL DEFAULT false,
  -- How much the line behind may hold: what it can admit in this time.
  ADD COLUMN admit_within_seconds integer CHECK (admit_within_seconds > 0),
  -- The last decision, so that whoever takes over goes on from it.
  ADD COLUMN auto_rate double precision CHECK (auto_rate >= 0),
  ADD COLUMN sold_out boolean NOT NULL DEFAULT false;
