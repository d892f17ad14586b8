-- name: loadDenied
-- purpose: Brings ids of slots that ended early back from the journal: their tokens would still be good.
-- keys:
--   meta: hash of the event
--   loading: string, the epoch and who loads it
--   denied: zset serial number → end and id of a slot that ended early
-- args:
--   loader: string, as in loading
--   denied...: string, the end and the id of each
-- returns: boolean
-- cost: O(denied · log n)
-- flags: write
if redis.call('GET', KEYS[2]) ~= ARGV[1] then
  return 0
end
for i = 2, #ARGV do
  redis.call('ZADD', KEYS[3], redis.call('HINCRBY', KEYS[1], 'denials', 1), ARGV[i])
end
return 1
