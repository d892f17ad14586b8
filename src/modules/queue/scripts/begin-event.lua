-- name: beginEvent
-- purpose: Empties an event's state for a later epoch, unless the store has that epoch already. Until finishEvent the
--   event counts as lost, so nobody sees it half loaded.
-- keys:
--   meta: hash of the event
--   loading: string, the epoch and who loads it
--   spent: prefix of the bitmaps of places that are over, one for each era and chunk
--   chunks: set of those bitmaps
--   others...: everything else of the event
-- args:
--   epoch: integer
--   attempt: string, a name of its own for each attempt
--   loadingTtlMs: integer
-- returns: boolean
-- cost: O(number of bitmaps), memory is freed in the background
-- flags: write
local known = tonumber(redis.call('HGET', KEYS[1], 'epoch'))
if known and known >= tonumber(ARGV[1]) then
  return 0
end
-- A later epoch that is being loaded stays; the same one is taken over, for its loader may have died.
local loading = redis.call('GET', KEYS[2])
if loading and tonumber(loading:match('^%d+')) > tonumber(ARGV[1]) then
  return 0
end
for _, name in ipairs(redis.call('SMEMBERS', KEYS[4])) do
  redis.call('UNLINK', KEYS[3] .. ':' .. name)
end
redis.call('UNLINK', KEYS[1], KEYS[4])
for i = 5, #KEYS do
  redis.call('UNLINK', KEYS[i])
end
redis.call('SET', KEYS[2], ARGV[1] .. ' ' .. ARGV[2], 'PX', ARGV[3])
return 1
