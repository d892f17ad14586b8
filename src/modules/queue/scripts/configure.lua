-- name: configureQueue
-- purpose: Changes settings of an event and says what was. An empty value leaves a setting as it is.
-- keys:
--   meta: hash of the event
-- args:
--   threshold: string
--   paused: string, 1 or 0
--   closed: string, 1 or 0
--   messageChange: string, set or remove
--   message: string
--   version: integer, of these settings in the journal; 0 when it does not have them yet
-- returns: [status: string, threshold: string, paused: string, closed: string, message: string | nil]
-- cost: O(1)
-- flags: write
local before = redis.call('HMGET', KEYS[1], 'epoch', 'threshold', 'paused', 'closed', 'message',
  'settingsVersion')
if not before[1] then
  return { 'lost', '', '', '', false }
end
local function change(field, value)
  if value ~= '' then
    redis.call('HSET', KEYS[1], field, value)
  end
end
change('threshold', ARGV[1])
change('paused', ARGV[2])
change('closed', ARGV[3])
if ARGV[4] == 'set' then
  redis.call('HSET', KEYS[1], 'message', ARGV[5])
elseif ARGV[4] == 'remove' then
  redis.call('HDEL', KEYS[1], 'message')
end
if tonumber(ARGV[6]) > tonumber(before[6] or '0') then
  redis.call('HSET', KEYS[1], 'settingsVersion', ARGV[6])
end
return { 'ok', before[2], before[3], before[4], before[5] }
