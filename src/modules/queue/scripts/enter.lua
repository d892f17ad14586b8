-- name: enterQueue
-- purpose: Enters, resumes or looks, in one step: a slot, a place, or why there is none.
-- keys:
--   meta: hash of the event
--   queue: zset order → userId
--   parked: zset order → userId of people who are away
--   active: zset slot end → userId
--   seen: zset last sign of life → userId with a place
--   activeSeen: zset last sign of life → userId of a claimed slot
--   slots: hash userId → order and slot id
--   unclaimed: zset time of admission → userId who has not asked since
--   unclaimedSeen: zset last sign of life → userId of an unclaimed slot
--   returned: set of orders that were given back once, unclaimed
--   changes: list of what the journal has not taken
--   window: hash, a ring of admissions per second
--   spent: prefix of the bitmaps of places that are over, one for each era and chunk
--   chunks: set of those bitmaps
-- args:
--   eventId: string
--   userId: string
--   look: integer, 1 to look only
--   lane: integer
--   ticketOrder: integer, 0 without a ticket
--   numbered: integer, 0 without a tier-1 number
--   roomOn: integer, 1 when a tier-1 number is asked for
--   activeTtlMs: integer
--   nowMs: integer, -1 for the server's clock
-- returns: [status: string, epoch: integer, order: integer, position: integer, endsAtMs: integer, slotId: string, flag: boolean, first: boolean]
-- cost: O(log n) for n waiting
-- flags: write
local meta, queue, parked, active, seen, activeSeen = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local slots, unclaimed, unclaimedSeen, returned, changes = KEYS[7], KEYS[8], KEYS[9], KEYS[10], KEYS[11]
local window, spent, chunks = KEYS[12], KEYS[13], KEYS[14]
local userId = ARGV[2]
local ticketOrder = tonumber(ARGV[5])
local numbered = tonumber(ARGV[6])

local state = redis.call('HMGET', meta, 'epoch', 'era', 'sequence', 'threshold', 'paused', 'closed', 'recoveringUntilMs', 'watermark', 'holdUntilMs', 'joined')
if not state[1] then
  return { 'lost', 0, 0, 0, 0, '', 0, 0 }
end
local epoch = tonumber(state[1])
local nowMs = tonumber(ARGV[9])
if nowMs < 0 then
  local time = redis.call('TIME')
  nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
end

local function spentBit(order)
  local number = order % 68719476736
  local era = math.floor(order / 68719476736) % 512
  local name = string.format('%.0f:%.0f', era, math.floor(number / 1048576))
  return name, number % 1048576
end

local function isSpent(order)
  local name, bit = spentBit(order)
  return redis.call('GETBIT', spent .. ':' .. name, bit) == 1
end

local function answerWaiting(order, fresh, first)
  local position = redis.call('ZRANK', queue, userId) + 1
  return { 'waiting', epoch, order, position, 0, '', fresh, first }
end

local function answer(status, flag)
  return { status, epoch, 0, 0, 0, '', flag, 0 }
end

-- 1. In a slot: asking claims it and is a sign of life. One that is over is not there any more.
local endsAt = tonumber(redis.call('ZSCORE', active, userId))
if endsAt then
  local slot = redis.call('HGET', slots, userId)
  local order, slotId = slot:match('^(%d+) (.+)$')
  if endsAt > nowMs then
    if redis.call('ZREM', unclaimed, userId) == 1 then
      redis.call('ZREM', unclaimedSeen, userId)
      redis.call('SREM', returned, order)
      redis.call('RPUSH', changes, string.format('slot %s %s %.0f 1 %s', slotId, order, endsAt, userId))
    end
    redis.call('ZADD', activeSeen, nowMs, userId)
    return { 'active', epoch, tonumber(order), 0, endsAt, slotId, 0, 0 }
  end
  local wasUnclaimed = redis.call('ZREM', unclaimed, userId) == 1
  redis.call('ZREM', active, userId)
  redis.call('ZREM', activeSeen, userId)
  redis.call('ZREM', unclaimedSeen, userId)
  redis.call('HDEL', slots, userId)
  -- Nobody could have used one that was never claimed, so its place is not over with it, the first time.
  if wasUnclaimed and redis.call('SADD', returned, order) == 1 then
    local name, bit = spentBit(tonumber(order))
    redis.call('SETBIT', spent .. ':' .. name, bit, 0)
    redis.call('RPUSH', changes, 'unspent ' .. order)
    redis.call('ZADD', queue, order, userId)
    redis.call('ZADD', seen, nowMs, userId)
  else
    redis.call('SREM', returned, order)
  end
  redis.call('RPUSH', changes, 'ended ' .. slotId .. ' ' .. userId)
  if wasUnclaimed then
    redis.call('HINCRBY', meta, 'noShows', 1)
  end
end

-- 2. Waiting, or away and now back at the old order. Whoever has a place is in seen.
if redis.call('ZSCORE', seen, userId) then
  local order = tonumber(redis.call('ZSCORE', queue, userId))
  if not order then
    order = tonumber(redis.call('ZSCORE', parked, userId))
    redis.call('ZREM', parked, userId)
    redis.call('ZADD', queue, order, userId)
  end
  redis.call('ZADD', seen, nowMs, userId)
  return answerWaiting(order, 0, 0)
end

local function isHeld(candidate)
  return #redis.call('ZRANGEBYSCORE', queue, candidate, candidate, 'LIMIT', 0, 1) > 0
    or #redis.call('ZRANGEBYSCORE', parked, candidate, candidate, 'LIMIT', 0, 1) > 0
end

-- A number that came back in a ticket, or came from tier 1, must not be given again by the sequence.
local function keepSequence(order, joined)
  local number = order % 68719476736
  local sequence = tonumber(state[3])
  if math.floor(order / 68719476736) % 512 == tonumber(state[2]) then
    sequence = math.max(sequence, number)
  end
  redis.call('HSET', meta, 'sequence', string.format('%.0f', sequence), 'joined', string.format('%.0f', (state[10] or 0) + joined))
end

-- 7. A slot at once when nobody would be passed over by it, else a place.
local function place(candidate, joined)
  keepSequence(candidate, joined)
  local first, free = 0, false
  if redis.call('ZCARD', seen) == 0 then
    first = redis.call('ZCARD', active) == 0 and 1 or 0
    local live = redis.call('ZCOUNT', active, string.format('(%.0f', nowMs), '+inf')
    local admitting = state[5] ~= '1' and nowMs >= tonumber(state[7]) and nowMs >= (tonumber(state[9]) or 0)
    free = admitting and live < tonumber(state[4])
  end
  if not free then
    redis.call('ZADD', queue, candidate, userId)
    redis.call('ZADD', seen, nowMs, userId)
    return answerWaiting(candidate, 1, first)
  end
  local slotEnd = nowMs + tonumber(ARGV[8])
  local slotId = string.format('%s.%.0f.%.0f', ARGV[1], candidate, nowMs)
  local name, bit = spentBit(candidate)
  if redis.call('EXISTS', spent .. ':' .. name) == 0 then
    redis.call('SADD', chunks, name)
  end
  redis.call('SETBIT', spent .. ':' .. name, bit, 1)
  redis.call('ZADD', active, slotEnd, userId)
  redis.call('ZADD', activeSeen, nowMs, userId)
  redis.call('HSET', slots, userId, string.format('%.0f %s', candidate, slotId))
  redis.call('SREM', returned, string.format('%.0f', candidate))
  -- The slot first: if the journal is cut between the two, the place comes back as a slot and not as nothing.
  redis.call('RPUSH', changes, string.format('slot %s %.0f %.0f 1 %s', slotId, candidate, slotEnd, userId), string.format('spent %.0f', candidate))
  redis.call('HINCRBY', meta, 'admitted', 1)
  if candidate > tonumber(state[8]) then
    redis.call('HSET', meta, 'watermark', string.format('%.0f', candidate))
  end
  local second = math.floor(nowMs / 1000)
  local field = string.format('%.0f', second % 64)
  local known, count = string.match(redis.call('HGET', window, field) or '', '^(%d+) (%d+)$')
  if tonumber(known) ~= second then
    count = 0
  end
  redis.call('HSET', window, field, string.format('%.0f %.0f', second, count + 1))
  return { 'active', epoch, candidate, 0, slotEnd, slotId, 1, first }
end

-- 3. A ticket whose place is not over.
local ticketSpent = false
if ticketOrder > 0 then
  ticketSpent = isSpent(ticketOrder)
  if not ticketSpent and not isHeld(ticketOrder) then
    return place(ticketOrder, 0)
  end
end
-- 4.
if ARGV[3] == '1' then
  return answer('none', ticketSpent and 1 or 0)
end
-- 5. A number of tier 1 belongs to the first who shows it.
if numbered > 0 then
  if isSpent(numbered) or isHeld(numbered) then
    return answer('number-taken', 0)
  end
  return place(numbered, 1)
end
-- 6.
if ARGV[7] == '1' then
  return answer('tier1-required', 0)
end
if state[6] == '1' then
  return answer('closed', 0)
end
return place((tonumber(ARGV[4]) * 512 + tonumber(state[2])) * 68719476736 + tonumber(state[3]) + 1, 1)
