-- name: holdAdmission
-- purpose: Nobody is admitted for a while, or until the journal is written. Never shortens a hold.
-- keys:
--   meta: hash of the event
-- args:
--   forMs: integer
--   nowMs: integer, -1 for the server's clock
-- returns: nothing
-- cost: O(1)
-- flags: write
local state = redis.call('HMGET', KEYS[1], 'epoch', 'holdUntilMs')
if not state[1] then
  return
end
local nowMs = tonumber(ARGV[2])
if nowMs < 0 then
  local time = redis.call('TIME')
  nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
end
local untilMs = nowMs + tonumber(ARGV[1])
if untilMs > (tonumber(state[2]) or 0) then
  redis.call('HSET', KEYS[1], 'holdUntilMs', string.format('%.0f', untilMs))
end
