-- name: forgetUsers
-- purpose: Forgets people with a place who were unseen for long. Frees memory only: a ticket still holds the place.
-- keys:
--   meta: hash of the event
--   queue: zset order → userId
--   parked: zset order → userId of people who are away
--   seen: zset last sign of life → userId with a place
-- args:
--   seenTtlMs: integer
--   limit: integer
--   nowMs: integer, -1 for the server's clock
-- returns: integer
-- cost: O(limit · log n) for n waiting
-- flags: write
local meta, queue, parked, seen = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
if redis.call('HEXISTS', meta, 'epoch') == 0 then
  return -1
end
local nowMs = tonumber(ARGV[3])
if nowMs < 0 then
  local time = redis.call('TIME')
  nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
end

local gone = redis.call('ZRANGEBYSCORE', seen, '-inf', nowMs - tonumber(ARGV[1]), 'LIMIT', 0, ARGV[2])
for _, userId in ipairs(gone) do
  redis.call('ZREM', queue, userId)
  redis.call('ZREM', parked, userId)
  redis.call('ZREM', seen, userId)
end
if #gone > 0 then
  redis.call('HINCRBY', meta, 'forgotten', #gone)
end
return #gone
