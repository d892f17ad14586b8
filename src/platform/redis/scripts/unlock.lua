-- name: unlock
-- purpose: Gives the lock back if it is still the owner's.
-- keys:
--   lock: string, the owner
-- args:
--   owner: string
-- returns: nothing
-- cost: O(1)
-- flags: write
if redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('DEL', KEYS[1])
end
