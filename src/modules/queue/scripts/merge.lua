-- name: mergeLate
-- purpose: Adds what happened in a lost epoch and never reached the journal, as far as a process still knows it.
-- keys:
--   meta: hash of the event
--   queue: zset order → userId
--   parked: zset order → userId of people who are away
--   active: zset slot end → userId
--   seen: zset last sign of life → userId with a place
--   activeSeen: zset last sign of life → userId of a claimed slot
--   slots: hash userId → order and slot id
--   unclaimed: zset time of admission, less what claims stood still → userId who has not asked since
--   unclaimedSeen: zset last sign of life → userId of an unclaimed slot
--   returned: set of orders that were given back once, unclaimed
--   denied: zset serial number → end and id of a slot that ended early
--   changes: list of what the journal has not taken
--   spent: prefix of the bitmaps of places that are over, one for each era and chunk
--   chunks: set of those bitmaps
-- args:
--   epoch: integer, the one that is there now
--   nowMs: integer, -1 for the server's clock
--   lines...: string, changes as in the list, at most 500
-- returns: string
-- cost: O(lines · log n) for n waiting
-- flags: write
local meta, queue, parked, active, seen, activeSeen = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local slots, unclaimed, unclaimedSeen, returned, denied = KEYS[7], KEYS[8], KEYS[9], KEYS[10], KEYS[11]
local changes, spent, chunks = KEYS[12], KEYS[13], KEYS[14]
local state = redis.call('HMGET', meta, 'epoch', 'threshold', 'watermark', 'tickAtMs', 'claimsStoodMs')
if not state[1] then
  return 'lost'
end
if tonumber(state[1]) ~= tonumber(ARGV[1]) then
  return 'other-epoch'
end
local threshold, watermark = tonumber(state[2]), tonumber(state[3])
local nowMs = tonumber(ARGV[2])
if nowMs < 0 then
  local time = redis.call('TIME')
  nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
end

local function spentBit(order)
  local number = order % 68719476736
  local era = math.floor(order / 68719476736) % 512
  return string.format('%.0f:%.0f', era, math.floor(number / 1048576)), number % 1048576
end

local function isSpent(order)
  local name, bit = spentBit(order)
  return redis.call('GETBIT', spent .. ':' .. name, bit) == 1
end

local function holderOf(order)
  return redis.call('ZRANGEBYSCORE', queue, order, order, 'LIMIT', 0, 1)[1]
    or redis.call('ZRANGEBYSCORE', parked, order, order, 'LIMIT', 0, 1)[1]
end

local function removePerson(userId)
  redis.call('ZREM', queue, userId)
  redis.call('ZREM', parked, userId)
  redis.call('ZREM', seen, userId)
end

-- The place is over, no matter who came back to it meanwhile.
local function spend(order)
  local name, bit = spentBit(order)
  redis.call('SADD', chunks, name)
  if redis.call('SETBIT', spent .. ':' .. name, bit, 1) == 1 then
    return
  end
  redis.call('RPUSH', changes, string.format('spent %.0f', order))
  redis.call('SREM', returned, string.format('%.0f', order))
  local holder = holderOf(order)
  if holder then
    removePerson(holder)
  end
end

local function deny(slotId, endsAtMs)
  redis.call('ZADD', denied, redis.call('HINCRBY', meta, 'denials', 1), string.format('%.0f %s', endsAtMs, slotId))
end

local function isDenied(slotId, endsAtMs)
  return redis.call('ZSCORE', denied, string.format('%.0f %s', endsAtMs, slotId))
end

local function removeSlot(userId)
  redis.call('ZREM', active, userId)
  redis.call('ZREM', activeSeen, userId)
  redis.call('ZREM', unclaimed, userId)
  redis.call('ZREM', unclaimedSeen, userId)
  redis.call('HDEL', slots, userId)
end

-- A slot that is over is nothing that its user has, even if no admission step has dropped it yet. One that nobody claimed
-- gives its place back, the first time.
local function dropIfOver(userId)
  local endsAtMs = tonumber(redis.call('ZSCORE', active, userId))
  if not endsAtMs or endsAtMs > nowMs then
    return
  end
  local order, slotId = redis.call('HGET', slots, userId):match('^(%d+) (.+)$')
  local seenAtMs = redis.call('ZSCORE', unclaimed, userId) and redis.call('ZSCORE', unclaimedSeen, userId)
  removeSlot(userId)
  if seenAtMs then
    redis.call('HINCRBY', meta, 'noShows', 1)
  end
  if seenAtMs and redis.call('SADD', returned, order) == 1 then
    local name, bit = spentBit(tonumber(order))
    redis.call('SETBIT', spent .. ':' .. name, bit, 0)
    redis.call('RPUSH', changes, 'unspent ' .. order)
    redis.call('ZADD', queue, order, userId)
    redis.call('ZADD', seen, seenAtMs, userId)
  else
    redis.call('SREM', returned, order)
  end
  redis.call('RPUSH', changes, 'ended ' .. slotId .. ' ' .. userId)
end

local function mergeSlot(line)
  local slotId, orderText, endText, claimedText, userId = line:match('^slot (%S+) (%d+) (%d+) (%d) (.+)$')
  local order, endsAtMs, claimed = tonumber(orderText), tonumber(endText), claimedText == '1'
  if isSpent(order) then
    -- The journal had the slot, so only one thing can be new: that it was claimed.
    local isLive = (tonumber(redis.call('ZSCORE', active, userId)) or 0) > nowMs
    if claimed and isLive and redis.call('HGET', slots, userId) == orderText .. ' ' .. slotId then
      if redis.call('ZREM', unclaimed, userId) == 1 then
        redis.call('ZREM', unclaimedSeen, userId)
        redis.call('SREM', returned, orderText)
        redis.call('RPUSH', changes, line)
      end
      redis.call('ZADD', activeSeen, nowMs, userId)
    end
    return
  end
  if endsAtMs <= nowMs then
    if claimed then
      spend(order)
    end
    return
  end
  -- Told before, when there was no room.
  if isDenied(slotId, endsAtMs) then
    return
  end
  dropIfOver(userId)
  if redis.call('ZSCORE', active, userId) then
    spend(order)
    deny(slotId, endsAtMs)
    return
  end
  if redis.call('ZCOUNT', active, '(' .. string.format('%.0f', nowMs), '+inf') >= threshold then
    -- Others have the room by now. The place counts on; anyone who holds a token of the slot must not be one too many.
    deny(slotId, endsAtMs)
    if not redis.call('ZSCORE', seen, userId) and not holderOf(order) then
      redis.call('ZADD', queue, order, userId)
      redis.call('ZADD', seen, nowMs, userId)
    end
    return
  end
  local place = tonumber(redis.call('ZSCORE', queue, userId) or redis.call('ZSCORE', parked, userId))
  if place and place ~= order then
    -- One user, one place: the slot is worth more than the new one.
    spend(place)
  end
  -- The slot first: if the journal is cut between the two, the place comes back as a slot and not as nothing.
  local isLastChance = not claimed and redis.call('SISMEMBER', returned, orderText) == 1
  redis.call('RPUSH', changes, line)
  spend(order)
  if isLastChance then
    redis.call('SADD', returned, orderText)
  end
  redis.call('ZADD', active, endsAtMs, userId)
  redis.call('HSET', slots, userId, orderText .. ' ' .. slotId)
  if claimed then
    redis.call('ZADD', activeSeen, nowMs, userId)
  else
    redis.call('ZADD', unclaimed, math.max(nowMs, state[4] or 0) - (state[5] or 0), userId)
    redis.call('ZADD', unclaimedSeen, nowMs, userId)
  end
  watermark = math.max(watermark, order)
end

local function mergeEnd(line)
  local slotId, userId = line:match('^ended (%S+) (.+)$')
  local order, known = (redis.call('HGET', slots, userId) or ''):match('^(%d+) (.+)$')
  if known ~= slotId then
    return
  end
  local endsAtMs = tonumber(redis.call('ZSCORE', active, userId))
  removeSlot(userId)
  redis.call('SREM', returned, order)
  redis.call('RPUSH', changes, line)
  if endsAtMs > nowMs then
    deny(slotId, endsAtMs)
  end
end

local function mergePlace(line)
  local orderText, userId = line:match('^place (%d+) (.+)$')
  local order = tonumber(orderText)
  if isSpent(order) or holderOf(order) then
    return
  end
  dropIfOver(userId)
  if redis.call('ZSCORE', seen, userId) or redis.call('ZSCORE', active, userId) then
    return
  end
  redis.call('ZADD', queue, order, userId)
  redis.call('ZADD', seen, nowMs, userId)
end

for i = 3, #ARGV do
  local kind = ARGV[i]:match('^%l+')
  if kind == 'slot' then
    mergeSlot(ARGV[i])
  elseif kind == 'ended' then
    mergeEnd(ARGV[i])
  elseif kind == 'place' then
    mergePlace(ARGV[i])
  else
    spend(tonumber(ARGV[i]:match('^spent (%d+)$')))
  end
end
redis.call('HSET', meta, 'watermark', string.format('%.0f', watermark))
return 'merged'
