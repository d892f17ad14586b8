-- name: clearQueue
-- purpose: Ends the places of people who wait or are away, the first ones first. Slots stay.
-- keys:
--   meta: hash of the event
--   queue: zset order → userId
--   parked: zset order → userId of people who are away
--   seen: zset last sign of life → userId with a place
--   returned: set of orders that were given back once, unclaimed
--   changes: list of what the journal has not taken
--   spent: prefix of the bitmaps of places that are over, one for each era and chunk
--   chunks: set of those bitmaps
-- args:
--   limit: integer
-- returns: [cleared: integer, left: integer]
-- cost: O(limit · log n) for n waiting
-- flags: write
local meta, queue, parked, seen, returned = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local changes, spent, chunks = KEYS[6], KEYS[7], KEYS[8]
local limit = tonumber(ARGV[1])
if redis.call('HEXISTS', meta, 'epoch') == 0 then
  return { -1, 0 }
end

local cleared = 0
for _, from in ipairs({ queue, parked }) do
  local people = cleared < limit and redis.call('ZRANGE', from, 0, limit - cleared - 1, 'WITHSCORES') or {}
  for i = 1, #people, 2 do
    local userId, order = people[i], tonumber(people[i + 1])
    local number = order % 68719476736
    local era = math.floor(order / 68719476736) % 512
    local name = string.format('%.0f:%.0f', era, math.floor(number / 1048576))
    if redis.call('EXISTS', spent .. ':' .. name) == 0 then
      redis.call('SADD', chunks, name)
    end
    redis.call('SETBIT', spent .. ':' .. name, number % 1048576, 1)
    redis.call('ZREM', from, userId)
    redis.call('ZREM', seen, userId)
    redis.call('SREM', returned, string.format('%.0f', order))
    redis.call('RPUSH', changes, string.format('spent %.0f', order))
    cleared = cleared + 1
  end
end
return { cleared, redis.call('ZCARD', queue) + redis.call('ZCARD', parked) }
