-- How long a seat that comes back from a cancellation may wait before it is sold again. Events from before want no delay.
ALTER TABLE catalog.events ADD COLUMN seat_return_delay_max_seconds integer NOT NULL DEFAULT 0
  CHECK (seat_return_delay_max_seconds BETWEEN 0 AND 3600);
