-- name: loadSlots
-- purpose: Brings slots back from the journal. Nobody could claim one while the store was away, so the time for it
--   begins anew.
-- keys:
--   loading: string, the epoch and who loads it
--   active: zset slot end → userId
--   activeSeen: zset last sign of life → userId of a claimed slot
--   slots: hash userId → order and slot id
--   unclaimed: zset time of admission → userId who has not asked since
--   unclaimedSeen: zset last sign of life → userId of an unclaimed slot
--   changes: list of what the journal has not taken
--   spent: prefix of the bitmaps of places that are over, one for each era and chunk
--   chunks: set of those bitmaps
-- args:
--   loader: string, as in loading
--   nowMs: integer, -1 for the server's clock
--   slots...: string, for each slot its userId, id, order, end and 1 when it is claimed
-- returns: boolean
-- cost: O(slots · log n) for n slots
-- flags: write
local loading, active, activeSeen, slots = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local unclaimed, unclaimedSeen, changes, spent, chunks = KEYS[5], KEYS[6], KEYS[7], KEYS[8], KEYS[9]
if redis.call('GET', loading) ~= ARGV[1] then
  return 0
end
local nowMs = tonumber(ARGV[2])
if nowMs < 0 then
  local time = redis.call('TIME')
  nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
end
for i = 3, #ARGV, 5 do
  local userId, slotId, order, endsAtMs = ARGV[i], ARGV[i + 1], tonumber(ARGV[i + 2]), ARGV[i + 3]
  redis.call('ZADD', active, endsAtMs, userId)
  if ARGV[i + 4] == '1' then
    redis.call('ZADD', activeSeen, nowMs, userId)
  else
    redis.call('ZADD', unclaimed, nowMs, userId)
    redis.call('ZADD', unclaimedSeen, nowMs, userId)
  end
  redis.call('HSET', slots, userId, string.format('%.0f %s', order, slotId))
  local number = order % 68719476736
  local era = math.floor(order / 68719476736) % 512
  local name = string.format('%.0f:%.0f', era, math.floor(number / 1048576))
  redis.call('SADD', chunks, name)
  -- The journal may have been cut between a slot and its spent mark.
  if redis.call('SETBIT', spent .. ':' .. name, number % 1048576, 1) == 0 then
    redis.call('RPUSH', changes, string.format('spent %.0f', order))
  end
end
return 1
