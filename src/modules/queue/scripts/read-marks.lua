-- name: readMarks
-- purpose: Which places were over, or not over any more, since a position among the changes.
-- keys:
--   meta: hash of the event
--   changes: list of what the journal has not taken
--   recent: list of what became of the last changes that it has taken: +order, -order, or nothing
-- args:
--   epoch: integer, the position is one of this epoch
--   from: integer
--   limit: integer
-- returns: string[]
-- cost: O(limit)
-- flags: read-only
local state = redis.call('HMGET', KEYS[1], 'epoch', 'journaled')
if not state[1] then
  return { 'lost' }
end
local from, limit = tonumber(ARGV[2]), tonumber(ARGV[3])
local journaled = tonumber(state[2] or '0')
local oldest = journaled - redis.call('LLEN', KEYS[3])
local last = journaled + redis.call('LLEN', KEYS[2])
if tonumber(state[1]) ~= tonumber(ARGV[1]) or from < oldest or from > last then
  return { 'gap' }
end
local upTo = math.min(from + limit, last)
local answer = { 'ok', string.format('%.0f', upTo), upTo < last and '1' or '0' }
if from < journaled then
  for _, mark in ipairs(redis.call('LRANGE', KEYS[3], from - oldest, math.min(upTo, journaled) - oldest - 1)) do
    if mark ~= '' then
      answer[#answer + 1] = mark
    end
  end
end
if upTo > journaled then
  for _, change in ipairs(redis.call('LRANGE', KEYS[2], math.max(from, journaled) - journaled, upTo - journaled - 1)) do
    local undone, order = change:match('^(u?n?)spent (%d+)$')
    if order then
      answer[#answer + 1] = (undone == '' and '+' or '-') .. order
    end
  end
end
return answer
