-- name: dumpEvent
-- purpose: What the journal keeps of an event, but for the bitmaps of spent places, whose names it says, and for denied slots.
-- keys:
--   meta: hash of the event
--   active: zset slot end → userId
--   slots: hash userId → order and slot id
--   unclaimed: zset time of admission, less what claims stood still → userId who has not asked since
--   returned: set of orders that were given back once, unclaimed
--   chunks: set of the names of the bitmaps
-- args: none
-- returns: string[]
-- cost: O(slots + returned)
-- flags: read-only
local state = redis.call('HMGET', KEYS[1], 'epoch', 'era', 'sequence', 'watermark', 'journaled', 'roomOn', 'roomEra', 'roomVersion')
if not state[1] then
  return { 'lost' }
end
local answer = { 'ok', state[1], state[2], state[3], state[4], state[5] or '0', state[6] or '0', state[7] or '0', state[8] or '0' }
local function sayAll(list)
  answer[#answer + 1] = string.format('%.0f', #list)
  for _, item in ipairs(list) do
    answer[#answer + 1] = item
  end
end
sayAll(redis.call('SMEMBERS', KEYS[5]))
sayAll(redis.call('SMEMBERS', KEYS[6]))
local slots = redis.call('HGETALL', KEYS[3])
for i = 1, #slots, 2 do
  local order, slotId = slots[i + 1]:match('^(%d+) (.+)$')
  answer[#answer + 1] = slots[i]
  answer[#answer + 1] = slotId
  answer[#answer + 1] = order
  answer[#answer + 1] = redis.call('ZSCORE', KEYS[2], slots[i])
  answer[#answer + 1] = redis.call('ZSCORE', KEYS[4], slots[i]) and '0' or '1'
end
return answer
