-- name: endRecovery
-- purpose: Ends recovery before its time.
-- keys:
--   meta: hash of the event
-- args:
--   epoch: integer, whose recovery it is
-- returns: nothing
-- cost: O(1)
-- flags: write
if tonumber(redis.call('HGET', KEYS[1], 'epoch')) == tonumber(ARGV[1]) then
  redis.call('HSET', KEYS[1], 'recoveringUntilMs', 0)
end
