ALTER TABLE waiting_room.rooms
  -- How hard the work before a number is: hexadecimal zeros. Null: none is asked for.
  ADD COLUMN proof_digits integer CHECK (proof_digits BETWEEN 1 AND 6),
  -- Name, logo, colours and texts of the waiting page.
  ADD COLUMN branding jsonb;
