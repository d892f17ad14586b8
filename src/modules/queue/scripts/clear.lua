-- name: clearQueue
-- purpose: Ends the places of people who wait or are away, up to one of each lane, the first ones first. Slots stay.
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
--   presaleUpTo: integer, the last order of its lane that may end; -1 in both lanes for those that are there now
--   generalUpTo: integer, the same of the other lane
-- returns: [cleared: integer, left: integer, presaleUpTo: integer, generalUpTo: integer]
-- cost: O(limit · log n) for n waiting
-- flags: write
local meta, queue, parked, seen, returned = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local changes, spent, chunks = KEYS[6], KEYS[7], KEYS[8]
local limit = tonumber(ARGV[1])
local lines = { queue, parked }
local ordersPerLane = 35184372088832
local lanes = { { from = 0, upTo = tonumber(ARGV[2]) }, { from = ordersPerLane, upTo = tonumber(ARGV[3]) } }
if redis.call('HEXISTS', meta, 'epoch') == 0 then
  return { -1, 0, 0, 0 }
end

for _, lane in ipairs(lanes) do
  if lane.upTo < 0 then
    lane.upTo = 0
    local below = string.format('(%.0f', lane.from + ordersPerLane)
    for _, line in ipairs(lines) do
      local last = redis.call('ZREVRANGEBYSCORE', line, below, lane.from, 'WITHSCORES', 'LIMIT', 0, 1)
      lane.upTo = math.max(lane.upTo, tonumber(last[2]) or 0)
    end
  end
end

local cleared, left = 0, 0
for _, line in ipairs(lines) do
  for _, lane in ipairs(lanes) do
    local people = redis.call('ZRANGEBYSCORE', line, lane.from, lane.upTo, 'WITHSCORES', 'LIMIT', 0, limit - cleared)
    for i = 1, #people, 2 do
      local userId, order = people[i], tonumber(people[i + 1])
      local number = order % 68719476736
      local era = math.floor(order / 68719476736) % 512
      local name = string.format('%.0f:%.0f', era, math.floor(number / 1048576))
      if redis.call('EXISTS', spent .. ':' .. name) == 0 then
        redis.call('SADD', chunks, name)
      end
      redis.call('SETBIT', spent .. ':' .. name, number % 1048576, 1)
      redis.call('ZREM', line, userId)
      redis.call('ZREM', seen, userId)
      redis.call('SREM', returned, string.format('%.0f', order))
      redis.call('RPUSH', changes, string.format('spent %.0f', order))
      cleared = cleared + 1
      if line == queue then
        lane.last = order
      end
    end
    left = left + redis.call('ZCOUNT', line, lane.from, lane.upTo)
  end
end
-- For streams: anyone who had a place up to here has none.
if cleared > 0 then
  local done = {}
  for i, lane in ipairs(lanes) do
    local isEmpty = redis.call('ZCOUNT', queue, lane.from, lane.upTo) == 0
    done[i] = string.format('%.0f', isEmpty and lane.upTo or lane.last or 0)
  end
  redis.call('HSET', meta, 'clearedPresale', done[1], 'clearedGeneral', done[2])
  redis.call('HINCRBY', meta, 'cleared', cleared)
end
return { cleared, left, lanes[1].upTo, lanes[2].upTo }
