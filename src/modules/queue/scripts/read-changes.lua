-- name: readChanges
-- purpose: The oldest changes that the journal has not taken, and where they stand.
-- keys:
--   meta: hash of the event
--   changes: list of what the journal has not taken
-- args:
--   limit: integer
-- returns: string[]
-- cost: O(limit)
-- flags: read-only
local state = redis.call('HMGET', KEYS[1], 'epoch', 'journaled')
if not state[1] then
  return { 'lost' }
end
local answer = { 'ok', state[1], state[2] or '0', string.format('%.0f', redis.call('LLEN', KEYS[2])) }
local limit = tonumber(ARGV[1])
if limit > 0 then
  for _, change in ipairs(redis.call('LRANGE', KEYS[2], 0, limit - 1)) do
    answer[#answer + 1] = change
  end
end
return answer
