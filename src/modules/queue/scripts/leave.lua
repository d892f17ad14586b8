-- name: leaveQueue
-- purpose: Gives up a place or a slot. The place is over; the slot's id is denied until the slot would have ended.
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
--   denied: zset serial number → end and id of a slot that ended early
--   changes: list of what the journal has not taken
--   spent: prefix of the bitmaps of places that are over, one for each era and chunk
--   chunks: set of those bitmaps
-- args:
--   userId: string
--   nowMs: integer, -1 for the server's clock
-- returns: [left: string, epoch: integer, order: integer, endsAtMs: integer, slotId: string]
-- cost: O(log n) for n waiting
-- flags: write
local meta, queue, parked, active, seen, activeSeen = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local slots, unclaimed, unclaimedSeen, returned, denied = KEYS[7], KEYS[8], KEYS[9], KEYS[10], KEYS[11]
local changes, spent, chunks = KEYS[12], KEYS[13], KEYS[14]
local userId = ARGV[1]
local epoch = tonumber(redis.call('HGET', meta, 'epoch'))
if not epoch then
  return { 'lost', 0, 0, 0, '' }
end
local nowMs = tonumber(ARGV[2])
if nowMs < 0 then
  local time = redis.call('TIME')
  nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
end

local endsAt = tonumber(redis.call('ZSCORE', active, userId))
if endsAt then
  local order, slotId = redis.call('HGET', slots, userId):match('^(%d+) (.+)$')
  redis.call('ZREM', active, userId)
  redis.call('ZREM', activeSeen, userId)
  redis.call('ZREM', unclaimed, userId)
  redis.call('ZREM', unclaimedSeen, userId)
  redis.call('HDEL', slots, userId)
  redis.call('SREM', returned, order)
  redis.call('RPUSH', changes, 'ended ' .. slotId .. ' ' .. userId)
  if endsAt <= nowMs then
    return { 'nothing', epoch, 0, 0, '' }
  end
  redis.call('ZADD', denied, redis.call('HINCRBY', meta, 'denials', 1), string.format('%.0f %s', endsAt, slotId))
  redis.call('HINCRBY', meta, 'left', 1)
  return { 'slot', epoch, tonumber(order), endsAt, slotId }
end

local order = tonumber(redis.call('ZSCORE', queue, userId) or redis.call('ZSCORE', parked, userId))
if not order then
  return { 'nothing', epoch, 0, 0, '' }
end
local number = order % 68719476736
local era = math.floor(order / 68719476736) % 512
local name = string.format('%.0f:%.0f', era, math.floor(number / 1048576))
if redis.call('EXISTS', spent .. ':' .. name) == 0 then
  redis.call('SADD', chunks, name)
end
redis.call('SETBIT', spent .. ':' .. name, number % 1048576, 1)
redis.call('ZREM', queue, userId)
redis.call('ZREM', parked, userId)
redis.call('ZREM', seen, userId)
redis.call('SREM', returned, string.format('%.0f', order))
redis.call('RPUSH', changes, string.format('spent %.0f', order))
redis.call('HINCRBY', meta, 'left', 1)
return { 'place', epoch, order, 0, '' }
