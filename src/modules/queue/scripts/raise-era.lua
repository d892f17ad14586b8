-- name: raiseEra
-- purpose: Lets numbers begin anew in a later era.
-- keys:
--   meta: hash of the event
-- args:
--   era: integer
-- returns: string
-- cost: O(1)
-- flags: write
local state = redis.call('HMGET', KEYS[1], 'epoch', 'era')
if not state[1] then
  return 'lost'
end
if tonumber(state[2]) >= tonumber(ARGV[1]) then
  return 'kept'
end
redis.call('HSET', KEYS[1], 'era', ARGV[1], 'sequence', 0)
return 'raised'
