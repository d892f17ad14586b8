-- name: removeEvent
-- purpose: Takes an event out of the store that nobody needs there: nobody waits, is away or in a slot, the journal has
--   everything, and no token of a slot that ended early is still good.
-- keys:
--   meta: hash of the event
--   loading: string, the epoch and who loads it
--   queue: zset order → userId
--   parked: zset order → userId of people who are away
--   active: zset slot end → userId
--   changes: list of what the journal has not taken
--   denied: zset serial number → end and id of a slot that ended early
--   spent: prefix of the bitmaps of places that are over, one for each era and chunk
--   chunks: set of those bitmaps
--   others...: everything else of the event
-- args:
--   epoch: integer, a later one is somebody else's
--   deniedMax: integer, how many ended denials are looked at
--   nowMs: integer, -1 for the server's clock
-- returns: boolean
-- cost: O(deniedMax + number of bitmaps), memory is freed in the background
-- flags: write
local meta, loading, queue, parked, active, changes = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local denied, spent, chunks = KEYS[7], KEYS[8], KEYS[9]
local epoch = redis.call('HGET', meta, 'epoch')
if epoch and tonumber(epoch) ~= tonumber(ARGV[1]) then
  return 0
end
if redis.call('EXISTS', loading, queue, parked, active, changes) > 0 then
  return 0
end
local nowMs = tonumber(ARGV[3])
if nowMs < 0 then
  local time = redis.call('TIME')
  nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
end
local over = 0
for _, denial in ipairs(redis.call('ZRANGE', denied, 0, ARGV[2] - 1)) do
  if tonumber(denial:match('^%d+')) > nowMs then
    break
  end
  over = over + 1
end
if over > 0 then
  redis.call('ZREMRANGEBYRANK', denied, 0, over - 1)
end
if redis.call('EXISTS', denied) == 1 then
  return 0
end
for _, name in ipairs(redis.call('SMEMBERS', chunks)) do
  redis.call('UNLINK', spent .. ':' .. name)
end
redis.call('UNLINK', meta, chunks)
for i = 10, #KEYS do
  redis.call('UNLINK', KEYS[i])
end
return 1
