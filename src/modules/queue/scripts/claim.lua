-- name: claimSlots
-- purpose: Notes protected calls of people in slots: each claims the slot, if it still has this id, and is a sign of life.
-- keys:
--   meta: hash of the event
--   active: zset slot end → userId
--   activeSeen: zset last sign of life → userId of a claimed slot
--   slots: hash userId → order and slot id
--   unclaimed: zset time of admission → userId who has not asked since
--   unclaimedSeen: zset last sign of life → userId of an unclaimed slot
--   returned: set of orders that were given back once, unclaimed
--   changes: list of what the journal has not taken
-- args:
--   nowMs: integer, -1 for the server's clock
--   claims...: string, for each one its userId and slot id, at most 500
-- returns: integer
-- cost: O(claims · log n) for n slots
-- flags: write
local meta, active, activeSeen, slots, unclaimed = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local unclaimedSeen, returned, changes = KEYS[6], KEYS[7], KEYS[8]
if redis.call('HEXISTS', meta, 'epoch') == 0 then
  return -1
end
local nowMs = tonumber(ARGV[1])
if nowMs < 0 then
  local time = redis.call('TIME')
  nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
end

local claimed = 0
for i = 2, #ARGV, 2 do
  local userId = ARGV[i]
  local order, slotId = (redis.call('HGET', slots, userId) or ''):match('^(%d+) (.+)$')
  local endsAt = slotId == ARGV[i + 1] and tonumber(redis.call('ZSCORE', active, userId)) or 0
  if endsAt > nowMs then
    if redis.call('ZREM', unclaimed, userId) == 1 then
      redis.call('ZREM', unclaimedSeen, userId)
      redis.call('SREM', returned, order)
      redis.call('RPUSH', changes, string.format('slot %s %s %.0f 1 %s', slotId, order, endsAt, userId))
      claimed = claimed + 1
    end
    redis.call('ZADD', activeSeen, nowMs, userId)
  end
end
return claimed
