-- name: loadSpent
-- purpose: Brings one bitmap of spent places back from the journal.
-- keys:
--   loading: string, the epoch and who loads it
--   bitmap: string, the bitmap of one era and chunk
--   chunks: set of those bitmaps
-- args:
--   loader: string, as in loading
--   name: string, era:chunk
--   bits: bytes
-- returns: boolean
-- cost: O(bytes)
-- flags: write
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
redis.call('SET', KEYS[2], ARGV[3])
redis.call('SADD', KEYS[3], ARGV[2])
return 1
