-- name: admitUsers
-- purpose: One admission step: ended and unclaimed slots are freed, absent heads are parked, present ones get a slot.
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
--   window: hash, a ring of admissions per second
--   spent: prefix of the bitmaps of places that are over, one for each era and chunk
--   chunks: set of those bitmaps
--   flushers: zset last word → process that answers polls
-- args:
--   eventId: string
--   admitMax: integer
--   parkMax: integer
--   absentMs: integer
--   claimMs: integer
--   activeTtlMs: integer
--   activeSeenTtlMs: integer, -1 when a slot is kept however long its user is unseen
--   freeMax: integer, how many slots of each kind may be freed in one step
--   deniedMax: integer, how many denials are kept; the first go first
--   outageMs: integer, a longer pause between two steps is nobody's absence
--   silentMs: integer, and neither is a longer silence of a flusher
--   flusherKeptMs: integer, after a longer one it is forgotten, if another has said something since
--   nowMs: integer, -1 for the server's clock
-- returns: string[]
-- cost: O((admitMax + parkMax + freeMax) · log n) for n waiting
-- flags: write
local meta, queue, parked, active, seen, activeSeen = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local slots, unclaimed, unclaimedSeen, returned, denied = KEYS[7], KEYS[8], KEYS[9], KEYS[10], KEYS[11]
local changes, window, spent, chunks, flushers = KEYS[12], KEYS[13], KEYS[14], KEYS[15], KEYS[16]
local admitMax, parkMax, freeMax = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[8])
-- Heads are read in pages, so that little is read in vain when the step ends early.
local page = 100

local state = redis.call('HMGET', meta, 'epoch', 'threshold', 'paused', 'recoveringUntilMs', 'watermark', 'tickAtMs',
  'seenFloorMs', 'holdUntilMs', 'claimsStoodMs', 'outageFloorMs')
if not state[1] then
  return { 'lost' }
end
local threshold = tonumber(state[2])
local nowMs = tonumber(ARGV[13])
if nowMs < 0 then
  local time = redis.call('TIME')
  nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
end

-- The time since the last word of the flusher that was silent for longest, and of any.
local function silences()
  local lastWordMs = tonumber(redis.call('ZRANGE', flushers, -1, -1, 'WITHSCORES')[2])
  if not lastWordMs then
    return 0, 0
  end
  redis.call('ZREMRANGEBYSCORE', flushers, '-inf', string.format('(%.0f', math.min(nowMs - tonumber(ARGV[12]), lastWordMs)))
  return nowMs - tonumber(redis.call('ZRANGE', flushers, 0, 0, 'WITHSCORES')[2]), nowMs - lastWordMs
end

-- While steps or flushes stopped, signs of life may have been lost: absence counts only from here on. Claims stand still
-- while there are no steps, and go on evenly when the clock is set back.
local tickAtMs, seenFloorMs, claimsStoodMs = tonumber(state[6]), tonumber(state[7]), tonumber(state[9]) or 0
local recoveringUntilMs, holdUntilMs = tonumber(state[4]), tonumber(state[8]) or 0
local silentMs, flusherKeptMs = tonumber(ARGV[11]), tonumber(ARGV[12])
local sinceMs = nowMs - (tickAtMs or seenFloorMs)
local isSetBack = tickAtMs and -sinceMs > silentMs
if isSetBack then
  claimsStoodMs, recoveringUntilMs, holdUntilMs = claimsStoodMs + sinceMs, recoveringUntilMs + sinceMs, holdUntilMs + sinceMs
  redis.call('HSET', meta, 'recoveringUntilMs', string.format('%.0f', recoveringUntilMs), 'holdUntilMs', string.format('%.0f', holdUntilMs))
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', flushers, string.format('(%.0f', nowMs), '+inf')) do
    redis.call('ZADD', flushers, nowMs, id)
  end
end
local isPaused = sinceMs > tonumber(ARGV[10])
if isPaused then
  claimsStoodMs = claimsStoodMs + sinceMs
end
-- A floor of its own for an outage of everything: what single processes missed hides an absence for a minute in all.
local longestMs, shortestMs = silences()
local outageFloorMs = math.min(tonumber(state[10]) or seenFloorMs, nowMs)
if not tickAtMs or isPaused or isSetBack or shortestMs > silentMs then
  outageFloorMs = nowMs
end
if outageFloorMs == nowMs or longestMs > silentMs or seenFloorMs > nowMs then
  seenFloorMs = nowMs
end
redis.call('HSET', meta, 'tickAtMs', string.format('%.0f', nowMs), 'seenFloorMs', string.format('%.0f', seenFloorMs),
  'claimsStoodMs', string.format('%.0f', claimsStoodMs), 'outageFloorMs', string.format('%.0f', outageFloorMs))

-- Anyone who was last seen at this time or before has been away for so long; nobody, soon after an outage.
local function latestBefore(forMs, floorMs)
  return nowMs - floorMs >= forMs and nowMs - forMs or -math.huge
end
local absentMs = tonumber(ARGV[4])
local absentUntilMs = math.max(latestBefore(absentMs, seenFloorMs), latestBefore(absentMs + flusherKeptMs, outageFloorMs))
local unseenUntilMs = -math.huge
if tonumber(ARGV[7]) >= 0 then
  unseenUntilMs = latestBefore(tonumber(ARGV[7]), seenFloorMs)
end
-- A slot given by then is claimed too late. Silent processes may have claims to tell, for a minute at most.
local claimTimeMs, claimMs = nowMs - claimsStoodMs, tonumber(ARGV[5])
local lateUntilMs = claimTimeMs - claimMs - (nowMs - seenFloorMs < claimMs and flusherKeptMs or 0)

local function due(key, untilMs, limit)
  if untilMs == -math.huge then
    return {}
  end
  return redis.call('ZRANGEBYSCORE', key, '-inf', untilMs, 'LIMIT', 0, limit)
end

local function setSpent(order, bit)
  local number = order % 68719476736
  local era = math.floor(order / 68719476736) % 512
  local name = string.format('%.0f:%.0f', era, math.floor(number / 1048576))
  if redis.call('EXISTS', spent .. ':' .. name) == 0 then
    redis.call('SADD', chunks, name)
  end
  redis.call('SETBIT', spent .. ':' .. name, number % 1048576, bit)
end

local function slotOf(userId)
  local order, slotId = redis.call('HGET', slots, userId):match('^(%d+) (.+)$')
  return tonumber(order), slotId
end

-- An id whose slot ends before its time is denied until then.
local function takeSlot(userId, slotId)
  local endsAtMs = tonumber(redis.call('ZSCORE', active, userId))
  redis.call('ZREM', active, userId)
  redis.call('ZREM', activeSeen, userId)
  redis.call('ZREM', unclaimed, userId)
  redis.call('ZREM', unclaimedSeen, userId)
  redis.call('HDEL', slots, userId)
  redis.call('RPUSH', changes, 'ended ' .. slotId .. ' ' .. userId)
  if endsAtMs > nowMs then
    redis.call('ZADD', denied, redis.call('HINCRBY', meta, 'denials', 1), string.format('%.0f %s', endsAtMs, slotId))
  end
end

local function endForGood(userId)
  local order, slotId = slotOf(userId)
  redis.call('SREM', returned, string.format('%.0f', order))
  takeSlot(userId, slotId)
end

-- Denials whose tokens have ended by themselves, as far as they come first.
local stale = 0
for _, denial in ipairs(redis.call('ZRANGE', denied, 0, freeMax - 1)) do
  if tonumber(denial:match('^%d+')) > nowMs then
    break
  end
  stale = stale + 1
end
if stale > 0 then
  redis.call('ZREMRANGEBYRANK', denied, 0, stale - 1)
end
redis.call('ZREMRANGEBYRANK', denied, 0, -(tonumber(ARGV[9]) + 1))

-- A slot that nobody claimed: back to the old order the first time, the second time the place stays spent.
local back, dropped = 0, 0
local function takeBack(userId)
  local order, slotId = slotOf(userId)
  if redis.call('SADD', returned, string.format('%.0f', order)) == 0 then
    endForGood(userId)
    dropped = dropped + 1
    return
  end
  local seenAtMs = redis.call('ZSCORE', unclaimedSeen, userId)
  setSpent(order, 0)
  -- The mark first: if the journal is cut between the two, the user still has the slot and not nothing.
  redis.call('RPUSH', changes, string.format('unspent %.0f', order))
  takeSlot(userId, slotId)
  redis.call('ZADD', queue, order, userId)
  redis.call('ZADD', seen, seenAtMs, userId)
  back = back + 1
end

-- Slots that are over. Nobody could have used one that was never claimed, so its place is not over with it.
local ended = 0
for _, userId in ipairs(due(active, nowMs, freeMax)) do
  if redis.call('ZSCORE', unclaimed, userId) then
    takeBack(userId)
  else
    endForGood(userId)
    ended = ended + 1
  end
end
for _, userId in ipairs(due(unclaimed, lateUntilMs, freeMax)) do
  takeBack(userId)
end
if back + dropped > 0 then
  redis.call('HINCRBY', meta, 'noShows', back + dropped)
end

-- Claimed slots whose user is gone; anyone who never came was dealt with above.
local unseen = due(activeSeen, unseenUntilMs, freeMax)
for _, userId in ipairs(unseen) do
  endForGood(userId)
end

local live = redis.call('ZCOUNT', active, '(' .. string.format('%.0f', nowMs), '+inf')
local admitting = state[3] ~= '1' and nowMs >= recoveringUntilMs and nowMs >= holdUntilMs
local admitted, parkedCount, answer = 0, 0, {}
local watermark = tonumber(state[5])

while admitting and live < threshold and admitted < admitMax and parkedCount < parkMax do
  local wanted = math.min(page, math.min(threshold - live, admitMax - admitted) + parkMax - parkedCount)
  local heads = redis.call('ZRANGE', queue, 0, wanted - 1, 'WITHSCORES')
  if #heads == 0 then
    break
  end
  for i = 1, #heads, 2 do
    if live >= threshold or admitted >= admitMax or parkedCount >= parkMax then
      break
    end
    local userId, order = heads[i], tonumber(heads[i + 1])
    local seenAtMs = tonumber(redis.call('ZSCORE', seen, userId))
    if seenAtMs > nowMs then
      -- From before the clock was set back, which is when absence began to count anew.
      seenAtMs = outageFloorMs
    end
    redis.call('ZREM', queue, userId)
    if seenAtMs <= absentUntilMs then
      redis.call('ZADD', parked, order, userId)
      parkedCount = parkedCount + 1
    else
      local endsAtMs = nowMs + tonumber(ARGV[6])
      local slotId = string.format('%s.%.0f.%.0f', ARGV[1], order, nowMs)
      setSpent(order, 1)
      redis.call('ZREM', seen, userId)
      redis.call('ZADD', active, endsAtMs, userId)
      redis.call('ZADD', unclaimed, claimTimeMs, userId)
      -- Being admitted is no sign of life.
      redis.call('ZADD', unclaimedSeen, seenAtMs, userId)
      redis.call('HSET', slots, userId, string.format('%.0f %s', order, slotId))
      redis.call('RPUSH', changes, string.format('slot %s %.0f %.0f 0 %s', slotId, order, endsAtMs, userId), string.format('spent %.0f', order))
      watermark = math.max(watermark, order)
      live = live + 1
      admitted = admitted + 1
      answer[#answer + 1] = slotId
      answer[#answer + 1] = userId
      answer[#answer + 1] = string.format('%.0f', order)
      answer[#answer + 1] = string.format('%.0f', endsAtMs)
    end
  end
end

if admitted > 0 then
  assert(redis.call('ZCOUNT', active, '(' .. string.format('%.0f', nowMs), '+inf') <= threshold, 'more slots than the threshold')
  redis.call('HINCRBY', meta, 'admitted', admitted)
  redis.call('HSET', meta, 'watermark', string.format('%.0f', watermark))
  local second = math.floor(nowMs / 1000)
  local field = string.format('%.0f', second % 64)
  local known, count = string.match(redis.call('HGET', window, field) or '', '^(%d+) (%d+)$')
  if tonumber(known) ~= second then
    count = 0
  end
  redis.call('HSET', window, field, string.format('%.0f %.0f', second, count + admitted))
end

local waiting = redis.call('ZCARD', queue)
local more = (admitting and waiting > 0 and live < threshold) or #due(active, nowMs, 1) > 0
  or #due(unclaimed, lateUntilMs, 1) > 0 or #due(activeSeen, unseenUntilMs, 1) > 0
local facts = { 'ok' }
for _, fact in ipairs({ tonumber(state[1]), parkedCount, ended + #unseen, back, dropped, live, waiting, threshold, more and 1 or 0 }) do
  facts[#facts + 1] = string.format('%.0f', fact)
end
for _, text in ipairs(answer) do
  facts[#facts + 1] = text
end
return facts
