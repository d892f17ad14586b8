-- name: enterQueue
-- purpose: Lets users enter, resume or look, one after the other in one step: a slot, a place, or why there is none.
--   Each is decided as if the ones before had come in a call of their own.
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
--   changes: list of what the journal has not taken
--   window: hash, a ring of admissions per second
--   spent: prefix of the bitmaps of places that are over, one for each era and chunk
--   chunks: set of those bitmaps
-- args:
--   eventId: string
--   activeTtlMs: integer
--   nowMs: integer, -1 for the server's clock
--   calls...: string, at most 100 pairs: userId, and the sum of 1 to look only, 2 when a tier-1 number is asked for, 4 for the general lane, 8 to claim no slot, 16 to be given none, 32 to pass the room; then ` ticketOrder numbered` if there is either, 0 for the one that is not
-- returns: [epoch: integer, first: boolean, answers: string]
-- cost: O(users · log n) for n waiting
-- flags: write
-- What is unpacked below grows with the users, so there is a limit that does not hang on the caller.
local usersMax = 100
assert(#ARGV <= 3 + 2 * usersMax, 'too many users in one call')

local state = redis.call('HMGET', KEYS[1], 'epoch', 'era', 'sequence', 'threshold', 'paused', 'closed', 'recoveringUntilMs', 'watermark', 'holdUntilMs', 'joined', 'admitted', 'tickAtMs', 'claimsStoodMs', 'roomOn', 'numbered')
if not state[1] then
  return { 0, 0, '' }
end
local nowMs = tonumber(ARGV[3])
if nowMs < 0 then
  local time = redis.call('TIME')
  nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
end

-- Two tables and not a variable each: what the functions below share is made anew for every call, which costs.
local key = {
  queue = KEYS[2], parked = KEYS[3], active = KEYS[4], seen = KEYS[5], activeSeen = KEYS[6], slots = KEYS[7],
  unclaimed = KEYS[8], unclaimedSeen = KEYS[9], returned = KEYS[10], changes = KEYS[11], spent = KEYS[13],
}
local batch = {
  users = {},
  -- Everybody is looked up at once; who was moved since by an earlier call of the batch is looked up again.
  ends = false, places = false, orders = false, moved = {},
  -- As text: a number is written out anew for every command that it is given to.
  now = string.format('%.0f', nowMs),
  -- Who joins at the end of the line, and signs of life, are written together. Every order that waits here is behind
  -- everybody in the queue, so ranks are true without it.
  line = { 'ZADD', key.queue }, signs = { 'ZADD', key.seen },
  -- From the first who is placed: how many have a place, how many of them are in the queue, and the last one's order.
  people = false, length = 0, last = 0,
  -- From the first who might get a slot.
  live = false,
  era = tonumber(state[2]), sequence = tonumber(state[3]), joined = 0, numbered = 0, granted = 0, watermark = 0, placed = false, first = 0,
}
for i = 4, #ARGV, 2 do
  batch.users[#batch.users + 1] = ARGV[i]
end
batch.ends = redis.call('ZMSCORE', key.active, unpack(batch.users))
batch.places = redis.call('ZMSCORE', key.seen, unpack(batch.users))

local function settle()
  if #batch.line > 2 then
    redis.call(unpack(batch.line))
    batch.line = { 'ZADD', key.queue }
  end
  if #batch.signs > 2 then
    redis.call(unpack(batch.signs))
    batch.signs = { 'ZADD', key.seen }
  end
end

local function count()
  if not batch.people then
    batch.people, batch.length = redis.call('ZCARD', key.seen), redis.call('ZCARD', key.queue)
    batch.last = tonumber(redis.call('ZRANGE', key.queue, -1, -1, 'WITHSCORES')[2] or 0)
  end
end

-- Puts somebody with a place in the queue and answers with order and position.
local function stand(userId, order, orderText)
  batch.length = batch.length + 1
  if order > batch.last then
    local line = batch.line
    line[#line + 1] = orderText
    line[#line + 1] = userId
    batch.last = order
    return orderText .. '\n' .. batch.length
  end
  settle()
  redis.call('ZADD', key.queue, orderText, userId)
  return orderText .. '\n' .. redis.call('ZRANK', key.queue, userId) + 1
end

local function spentBit(order)
  local number = order % 68719476736
  local era = math.floor(order / 68719476736) % 512
  return string.format('%.0f:%.0f', era, math.floor(number / 1048576)), number % 1048576
end

local function isSpent(order)
  local name, bit = spentBit(order)
  return redis.call('GETBIT', key.spent .. ':' .. name, bit) == 1
end

local function isHeld(order)
  count()
  if order <= batch.last then
    settle()
    if #redis.call('ZRANGEBYSCORE', key.queue, order, order, 'LIMIT', 0, 1) > 0 then
      return true
    end
  end
  return #redis.call('ZRANGEBYSCORE', key.parked, order, order, 'LIMIT', 0, 1) > 0
end

local function spend(order)
  local name, bit = spentBit(order)
  if redis.call('EXISTS', key.spent .. ':' .. name) == 0 then
    redis.call('SADD', KEYS[14], name)
  end
  redis.call('SETBIT', key.spent .. ':' .. name, bit, 1)
end

-- A number that came back in a ticket, or came from tier 1, must not be given again by the sequence.
local function passNumber(order)
  if math.floor(order / 68719476736) % 512 == batch.era then
    batch.sequence = math.max(batch.sequence, order % 68719476736)
  end
end

-- The place of another ticket than the one that counts. Nothing happens if it is over or somebody holds it.
local function isOther(ticketOrder, order)
  return ticketOrder > 0 and ticketOrder ~= order and not isSpent(ticketOrder) and not isHeld(ticketOrder)
end

local function spendPlace(order)
  local orderText = string.format('%.0f', order)
  spend(order)
  redis.call('SREM', key.returned, orderText)
  redis.call('RPUSH', key.changes, 'spent ' .. orderText)
end

-- One user, one place: of the one held and that of a ticket the later one is over. Answers with the earlier one.
local function keepEarlier(order, ticketOrder)
  if not isOther(ticketOrder, order) then
    return order
  end
  passNumber(ticketOrder)
  spendPlace(math.max(order, ticketOrder))
  return math.min(order, ticketOrder)
end

local function grant(userId, order, orderText, claims)
  batch.live = batch.live + 1
  batch.granted = batch.granted + 1
  batch.watermark = math.max(batch.watermark, order)
  local endText = string.format('%.0f', nowMs + tonumber(ARGV[2]))
  local slotId = ARGV[1] .. '.' .. orderText .. '.' .. batch.now
  spend(order)
  redis.call('ZADD', key.active, endText, userId)
  if claims then
    redis.call('ZADD', key.activeSeen, batch.now, userId)
    redis.call('SREM', key.returned, orderText)
  else
    redis.call('ZADD', key.unclaimed, math.max(nowMs, state[12] or 0) - (state[13] or 0), userId)
    redis.call('ZADD', key.unclaimedSeen, batch.now, userId)
  end
  redis.call('HSET', key.slots, userId, orderText .. ' ' .. slotId)
  -- The slot first: if the journal is cut between the two, the place comes back as a slot and not as nothing.
  redis.call('RPUSH', key.changes, 'slot ' .. slotId .. ' ' .. orderText .. ' ' .. endText .. (claims and ' 1 ' or ' 0 ') .. userId, 'spent ' .. orderText)
  return 'granted\n' .. orderText .. '\n' .. endText .. '\n' .. slotId
end

-- 7. A slot at once when nobody would be passed over by it, else a place.
local function place(userId, order, flags)
  count()
  if not batch.placed then
    batch.placed = true
    batch.first = batch.people == 0 and redis.call('ZCARD', key.active) == 0 and 1 or 0
  end
  batch.moved[userId] = true
  passNumber(order)
  local orderText = string.format('%.0f', order)
  if flags % 32 < 16 and batch.people == 0 and state[5] ~= '1' and nowMs >= tonumber(state[7]) and nowMs >= tonumber(state[9] or 0) then
    batch.live = batch.live or redis.call('ZCOUNT', key.active, '(' .. batch.now, '+inf')
    if batch.live < tonumber(state[4]) then
      return grant(userId, order, orderText, flags % 16 < 8)
    end
  end
  batch.people = batch.people + 1
  local signs = batch.signs
  signs[#signs + 1] = batch.now
  signs[#signs + 1] = userId
  return 'placed\n' .. stand(userId, order, orderText)
end

-- 1. In a slot: asking claims it and is a sign of life. One that is over is not there any more.
local function resumeSlot(userId, endsAtMs, claims, ticketOrder)
  local order, slotId = redis.call('HGET', key.slots, userId):match('^(%d+) (.+)$')
  if endsAtMs > nowMs then
    local endText = string.format('%.0f', endsAtMs)
    if not claims and redis.call('ZSCORE', key.unclaimed, userId) then
      redis.call('ZADD', key.unclaimedSeen, batch.now, userId)
      return 'active\n' .. order .. '\n' .. endText .. '\n' .. slotId
    end
    if redis.call('ZREM', key.unclaimed, userId) == 1 then
      redis.call('ZREM', key.unclaimedSeen, userId)
      redis.call('SREM', key.returned, order)
      redis.call('RPUSH', key.changes, 'slot ' .. slotId .. ' ' .. order .. ' ' .. endText .. ' 1 ' .. userId)
    end
    redis.call('ZADD', key.activeSeen, batch.now, userId)
    if isOther(ticketOrder, tonumber(order)) then
      passNumber(ticketOrder)
      spendPlace(ticketOrder)
    end
    return 'active\n' .. order .. '\n' .. endText .. '\n' .. slotId
  end
  batch.moved[userId] = true
  local wasUnclaimed = redis.call('ZREM', key.unclaimed, userId) == 1
  redis.call('ZREM', key.active, userId)
  redis.call('ZREM', key.activeSeen, userId)
  redis.call('ZREM', key.unclaimedSeen, userId)
  redis.call('HDEL', key.slots, userId)
  if wasUnclaimed then
    redis.call('HINCRBY', KEYS[1], 'noShows', 1)
  end
  -- Nobody could have used one that was never claimed, so its place is not over with it, the first time.
  if wasUnclaimed and redis.call('SADD', key.returned, order) == 1 then
    local name, bit = spentBit(tonumber(order))
    redis.call('SETBIT', key.spent .. ':' .. name, bit, 0)
    redis.call('RPUSH', key.changes, 'unspent ' .. order, 'ended ' .. slotId .. ' ' .. userId)
    count()
    batch.people = batch.people + 1
    local signs = batch.signs
    signs[#signs + 1] = batch.now
    signs[#signs + 1] = userId
    local kept = keepEarlier(tonumber(order), ticketOrder)
    return 'waiting\n' .. stand(userId, kept, string.format('%.0f', kept))
  end
  redis.call('SREM', key.returned, order)
  redis.call('RPUSH', key.changes, 'ended ' .. slotId .. ' ' .. userId)
  return nil
end

-- 2. Waiting, or away and now back at the old order.
local function resumePlace(n, userId, asked)
  local signs = batch.signs
  signs[#signs + 1] = batch.now
  signs[#signs + 1] = userId
  local order
  if batch.moved[userId] then
    order = redis.call('ZSCORE', key.queue, userId)
  else
    batch.orders = batch.orders or redis.call('ZMSCORE', key.queue, unpack(batch.users))
    order = batch.orders[n]
  end
  local isParked = not order
  order = tonumber(order or redis.call('ZSCORE', key.parked, userId))
  local kept, orderText = order, string.format('%.0f', order)
  -- Nearly everybody shows the ticket of this place: the numbers are read only if it is another.
  if #asked > 2 and not asked:find(' ' .. orderText .. ' ', 1, true) then
    kept = keepEarlier(order, tonumber(asked:match('^%d+ (%d+)')))
  end
  if not isParked and kept == order then
    return 'waiting\n' .. orderText .. '\n' .. redis.call('ZRANK', key.queue, userId) + 1
  end
  count()
  batch.moved[userId] = true
  redis.call('ZREM', isParked and key.parked or key.queue, userId)
  if not isParked then
    batch.length = batch.length - 1
  end
  return 'waiting\n' .. stand(userId, kept, string.format('%.0f', kept))
end

local function decide(n, userId, asked)
  local endsAtMs, hasPlace = batch.ends[n], batch.places[n]
  if batch.moved[userId] then
    settle()
    endsAtMs, hasPlace = redis.call('ZSCORE', key.active, userId), redis.call('ZSCORE', key.seen, userId)
  end
  if hasPlace then
    return resumePlace(n, userId, asked)
  end

  local flags, ticketOrder, numbered = tonumber(asked), 0, 0
  if not flags then
    local first, second, third = asked:match('^(%d+) (%d+) (%d+)$')
    flags, ticketOrder, numbered = tonumber(first), tonumber(second), tonumber(third)
  end
  local slot = endsAtMs and resumeSlot(userId, tonumber(endsAtMs), flags % 16 < 8, ticketOrder)
  if slot then
    return slot
  end
  -- 3. A ticket whose place is not over.
  local ticketSpent = ticketOrder > 0 and isSpent(ticketOrder)
  if ticketOrder > 0 and not ticketSpent and not isHeld(ticketOrder) then
    return place(userId, ticketOrder, flags)
  end
  -- 4.
  if flags % 2 == 1 then
    return ticketSpent and 'spent' or 'none'
  end
  -- 5. A closed queue gives no fresh place. A number of tier 1 belongs to the first who shows it.
  if state[6] == '1' then
    return 'closed'
  end
  if numbered > 0 then
    if isSpent(numbered) or isHeld(numbered) then
      return 'number-taken'
    end
    batch.joined = batch.joined + 1
    batch.numbered = batch.numbered + 1
    return place(userId, numbered, flags)
  end
  -- 6.
  if flags % 4 >= 2 or (state[14] == '1' and flags < 32) then
    return 'tier1-required'
  end
  batch.joined = batch.joined + 1
  return place(userId, ((flags % 8 >= 4 and 512 or 0) + batch.era) * 68719476736 + batch.sequence + 1, flags)
end

local answers = {}
for n, userId in ipairs(batch.users) do
  answers[n] = decide(n, userId, ARGV[3 + 2 * n])
end
settle()
if batch.placed or batch.sequence > tonumber(state[3]) then
  redis.call('HSET', KEYS[1], 'sequence', string.format('%.0f', batch.sequence), 'joined', string.format('%.0f', (state[10] or 0) + batch.joined))
end
if batch.numbered > 0 then
  redis.call('HSET', KEYS[1], 'numbered', string.format('%.0f', (state[15] or 0) + batch.numbered))
end
if batch.granted > 0 then
  local watermark = math.max(tonumber(state[8]), batch.watermark)
  redis.call('HSET', KEYS[1], 'watermark', string.format('%.0f', watermark), 'admitted', string.format('%.0f', (state[11] or 0) + batch.granted))
  local second = math.floor(nowMs / 1000)
  local field = string.format('%.0f', second % 64)
  local known, counted = string.match(redis.call('HGET', KEYS[12], field) or '', '^(%d+) (%d+)$')
  if tonumber(known) ~= second then
    counted = 0
  end
  redis.call('HSET', KEYS[12], field, string.format('%.0f %.0f', second, counted + batch.granted))
end
return { tonumber(state[1]), batch.first, table.concat(answers, '\n') }
