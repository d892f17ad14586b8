-- name: endSlot
-- purpose: Ends one slot early if it still has this id, and denies the id until the slot would have ended.
-- keys:
--   meta: hash of the event
--   active: zset slot end → userId
--   activeSeen: zset last sign of life → userId of a claimed slot
--   slots: hash userId → order and slot id
--   unclaimed: zset time of admission → userId who has not asked since
--   unclaimedSeen: zset last sign of life → userId of an unclaimed slot
--   returned: set of orders that were given back once, unclaimed
--   denied: zset serial number → end and id of a slot that ended early
--   changes: list of what the journal has not taken
-- args:
--   userId: string
--   slotId: string
--   nowMs: integer, -1 for the server's clock
-- returns: [status: string, epoch: integer, order: integer, endsAtMs: integer]
-- cost: O(log n) for n slots
-- flags: write
local meta, active, activeSeen, slots, unclaimed = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local unclaimedSeen, returned, denied, changes = KEYS[6], KEYS[7], KEYS[8], KEYS[9]
local userId = ARGV[1]
local epoch = tonumber(redis.call('HGET', meta, 'epoch'))
if not epoch then
  return { 'lost', 0, 0, 0 }
end
local nowMs = tonumber(ARGV[3])
if nowMs < 0 then
  local time = redis.call('TIME')
  nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
end

local slot = redis.call('HGET', slots, userId)
local endsAt = tonumber(redis.call('ZSCORE', active, userId))
if not slot or endsAt <= nowMs then
  return { 'not-there', epoch, 0, 0 }
end
local order, slotId = slot:match('^(%d+) (.+)$')
if slotId ~= ARGV[2] then
  return { 'not-there', epoch, 0, 0 }
end
redis.call('ZREM', active, userId)
redis.call('ZREM', activeSeen, userId)
redis.call('ZREM', unclaimed, userId)
redis.call('ZREM', unclaimedSeen, userId)
redis.call('HDEL', slots, userId)
redis.call('SREM', returned, order)
redis.call('ZADD', denied, redis.call('HINCRBY', meta, 'denials', 1), string.format('%.0f %s', endsAt, slotId))
redis.call('RPUSH', changes, 'ended ' .. slotId .. ' ' .. userId)
return { 'ended', epoch, tonumber(order), endsAt }
