-- name: raiseBound
-- purpose: Numbers up to this one may be given, since no later epoch will give them.
-- keys:
--   counters: hash of the room
-- args:
--   epoch: integer
--   bound: integer
-- returns: nothing
-- cost: O(1)
-- flags: write
local state = redis.call('HMGET', KEYS[1], 'epoch', 'bound')
if tonumber(state[1]) == tonumber(ARGV[1]) and tonumber(state[2]) < tonumber(ARGV[2]) then
  redis.call('HSET', KEYS[1], 'bound', ARGV[2])
end
