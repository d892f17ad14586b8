-- name: loadReturned
-- purpose: Brings places back from the journal that were given back once: not claimed again, they are over.
-- keys:
--   loading: string, the epoch and who loads it
--   returned: set of orders that were given back once, unclaimed
-- args:
--   loader: string, as in loading
--   orders...: string
-- returns: boolean
-- cost: O(orders)
-- flags: write
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
for i = 2, #ARGV do
  redis.call('SADD', KEYS[2], ARGV[i])
end
return 1
