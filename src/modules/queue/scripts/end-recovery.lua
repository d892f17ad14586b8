-- name: endRecovery
-- purpose: Ends recovery before its time.
-- keys:
--   meta: hash of the event
-- args: none
-- returns: nothing
-- cost: O(1)
-- flags: write
if redis.call('HEXISTS', KEYS[1], 'epoch') == 1 then
  redis.call('HSET', KEYS[1], 'recoveringUntilMs', 0)
end
