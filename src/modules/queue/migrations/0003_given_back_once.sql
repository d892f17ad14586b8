-- Places that were given back, because their slot was not claimed, and that nobody has got a slot for since. A place comes
-- back once, also if the store is lost in between. Rows go when the place is spent; what stays is of people who never came again.
CREATE TABLE queue.returned (
  event_id  uuid NOT NULL,
  place     bigint NOT NULL,
  PRIMARY KEY (event_id, place)
);

-- The slot of a place that was given back before: unclaimed, it ends for good.
ALTER TABLE queue.slots ADD COLUMN last_chance boolean NOT NULL DEFAULT false;
