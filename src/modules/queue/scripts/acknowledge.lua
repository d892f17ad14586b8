-- name: acknowledgeChanges
-- purpose: Drops the changes that the journal has, and lifts a hold. By position, so that two writers who read the same ones drop them once.
-- keys:
--   meta: hash of the event
--   changes: list of what the journal has not taken
--   recent: list of what became of the last changes that it has taken: +order, -order, or nothing
-- args:
--   epoch: integer, in which they were read
--   upTo: integer, the position of the first that stays
--   recentMax: integer
-- returns: nothing
-- cost: O(dropped)
-- flags: write
local state = redis.call('HMGET', KEYS[1], 'epoch', 'journaled')
if not state[1] or tonumber(state[1]) ~= tonumber(ARGV[1]) then
  return
end
local ahead = ARGV[2] - (tonumber(state[2]) or 0)
-- Somebody could write up to here or beyond. A late word of less is no news.
if ahead >= 0 then
  redis.call('HDEL', KEYS[1], 'holdUntilMs')
end
local count = math.min(ahead, redis.call('LLEN', KEYS[2]))
if count > 0 then
  -- What is said in one command is unpacked, so it has a limit.
  for first = 0, count - 1, 1000 do
    local marks = redis.call('LRANGE', KEYS[2], first, math.min(first + 1000, count) - 1)
    for i, change in ipairs(marks) do
      local undone, order = change:match('^(u?n?)spent (%d+)$')
      marks[i] = order and (undone == '' and '+' or '-') .. order or ''
    end
    redis.call('RPUSH', KEYS[3], unpack(marks))
  end
  redis.call('LTRIM', KEYS[3], -tonumber(ARGV[3]), -1)
  redis.call('LTRIM', KEYS[2], count, -1)
  redis.call('HINCRBY', KEYS[1], 'journaled', count)
end
