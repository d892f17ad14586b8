-- What a lost epoch left behind is added to the living one in the store, and comes here from there like every change.
ALTER TABLE queue.events DROP COLUMN position_before;
