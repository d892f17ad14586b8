-- name: switchRoom
-- purpose: Whether tier 1 stands before the event, and the era in which the store's own numbers go on.
-- keys:
--   meta: hash of the event
-- args:
--   era: integer, only ever raised
--   roomOn: integer
--   roomEra: integer, the latest of tier 1's numbers
--   version: integer, of this switch in the journal; an earlier one than is known changes nothing
-- returns: string
-- cost: O(1)
-- flags: write
local state = redis.call('HMGET', KEYS[1], 'epoch', 'era', 'roomVersion')
if not state[1] then
  return 'lost'
end
if tonumber(ARGV[4]) <= tonumber(state[3] or '0') then
  return 'kept'
end
redis.call('HSET', KEYS[1], 'roomOn', ARGV[2], 'roomEra', ARGV[3], 'roomVersion', ARGV[4])
if tonumber(ARGV[1]) > tonumber(state[2]) then
  redis.call('HSET', KEYS[1], 'era', ARGV[1], 'sequence', 0)
end
return 'switched'
