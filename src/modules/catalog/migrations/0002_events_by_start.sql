-- What is on is listed by the day of the show. Without this every page would sort the whole catalogue.
CREATE INDEX events_by_start ON catalog.events (starts_at, id) WHERE published_at IS NOT NULL;
