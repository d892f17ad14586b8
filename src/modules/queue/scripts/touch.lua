-- name: touchUsers
-- purpose: Notes signs of life; who was away comes back at the old order. Answers with the users it does not know.
-- keys:
--   meta: hash of the event
--   queue: zset order → userId
--   parked: zset order → userId of people who are away
--   active: zset slot end → userId
--   seen: zset last sign of life → userId with a place
--   activeSeen: zset last sign of life → userId of a claimed slot
--   unclaimed: zset time of admission → userId who has not asked since
--   unclaimedSeen: zset last sign of life → userId of an unclaimed slot
-- args:
--   nowMs: integer, -1 for the server's clock
--   userIds...: string, at most 500
-- returns: string[]
-- cost: O(users · log n) for n waiting
-- flags: write
local meta, queue, parked, active, seen, activeSeen = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local unclaimed, unclaimedSeen = KEYS[7], KEYS[8]
if redis.call('HEXISTS', meta, 'epoch') == 0 then
  return { 'lost' }
end
local nowMs = tonumber(ARGV[1])
if nowMs < 0 then
  local time = redis.call('TIME')
  nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
end

local answer = { 'ok' }
for i = 2, #ARGV do
  local userId = ARGV[i]
  if redis.call('ZSCORE', queue, userId) then
    redis.call('ZADD', seen, nowMs, userId)
  else
    local order = redis.call('ZSCORE', parked, userId)
    if order then
      redis.call('ZREM', parked, userId)
      redis.call('ZADD', queue, order, userId)
      redis.call('ZADD', seen, nowMs, userId)
    elseif (tonumber(redis.call('ZSCORE', active, userId)) or 0) > nowMs then
      -- A sign of life is no claim.
      redis.call('ZADD', redis.call('ZSCORE', unclaimed, userId) and unclaimedSeen or activeSeen, nowMs, userId)
    else
      answer[#answer + 1] = userId
    end
  end
end
return answer
