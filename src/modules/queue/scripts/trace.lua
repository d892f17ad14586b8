-- name: traceUser
-- purpose: Where one user is, and why.
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
-- args:
--   userId: string
--   nowMs: integer, -1 for the server's clock
-- returns: [place: string, order: integer | nil, position: integer | nil, seenAtMs: integer | nil, endsAtMs: integer, slotId: string, claimed: boolean, returned: boolean]
-- cost: O(log n) for n waiting
-- flags: read-only
local userId = ARGV[1]
if redis.call('HEXISTS', KEYS[1], 'epoch') == 0 then
  return { 'lost', false, false, false, 0, '', 0, 0 }
end
local nowMs = tonumber(ARGV[2])
if nowMs < 0 then
  local time = redis.call('TIME')
  nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
end
local function score(key)
  return tonumber(redis.call('ZSCORE', key, userId)) or false
end
local function returned(order)
  return redis.call('SISMEMBER', KEYS[10], string.format('%.0f', order))
end

local endsAtMs = score(KEYS[4])
if endsAtMs and endsAtMs > nowMs then
  local order, slotId = redis.call('HGET', KEYS[7], userId):match('^(%d+) (.+)$')
  local unclaimed = score(KEYS[8])
  local seenAtMs = score(unclaimed and KEYS[9] or KEYS[6])
  return { 'active', tonumber(order), false, seenAtMs, endsAtMs, slotId, unclaimed and 0 or 1, returned(order) }
end
local order = score(KEYS[2])
if order then
  return { 'waiting', order, redis.call('ZRANK', KEYS[2], userId) + 1, score(KEYS[5]), 0, '', 0, returned(order) }
end
order = score(KEYS[3])
if order then
  return { 'parked', order, false, score(KEYS[5]), 0, '', 0, returned(order) }
end
-- A slot that ended unclaimed, for the first time, before anybody looked: the place comes back.
if endsAtMs and score(KEYS[8]) then
  order = redis.call('HGET', KEYS[7], userId):match('^(%d+)')
  if returned(order) == 0 then
    return { 'none', tonumber(order), false, false, 0, '', 0, 0 }
  end
end
return { 'none', false, false, false, 0, '', 0, 0 }
