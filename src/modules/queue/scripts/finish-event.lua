-- name: finishEvent
-- purpose: Opens an event whose state was loaded.
-- keys:
--   meta: hash of the event
--   loading: string, the epoch and who loads it
-- args:
--   loader: string, as in loading
--   epoch: integer
--   era: integer
--   sequence: integer
--   watermark: integer
--   recoveringMs: integer
--   threshold: integer
--   paused: integer
--   closed: integer
--   hasMessage: integer
--   message: string
--   roomOn: integer
--   roomEra: integer
--   roomVersion: integer
--   nowMs: integer, -1 for the server's clock
-- returns: boolean
-- cost: O(1)
-- flags: write
if redis.call('GET', KEYS[2]) ~= ARGV[1] then
  return 0
end
local nowMs = tonumber(ARGV[15])
if nowMs < 0 then
  local time = redis.call('TIME')
  nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
end
redis.call('HSET', KEYS[1], 'epoch', ARGV[2], 'era', ARGV[3], 'sequence', ARGV[4], 'watermark', ARGV[5],
  'recoveringUntilMs', string.format('%.0f', nowMs + tonumber(ARGV[6])), 'threshold', ARGV[7], 'paused', ARGV[8], 'closed', ARGV[9],
  'seenFloorMs', string.format('%.0f', nowMs), 'roomOn', ARGV[12], 'roomEra', ARGV[13], 'roomVersion', ARGV[14])
if ARGV[10] == '1' then
  redis.call('HSET', KEYS[1], 'message', ARGV[11])
end
redis.call('DEL', KEYS[2])
return 1
