-- name: giveTokenBack
-- purpose: Puts one token back into a caller's bucket, as if the last one had not been taken.
-- keys:
--   bucket: hash { tokens, atMs } of one caller and one class; gone when it is full again
-- args:
--   capacity: integer, tokens of a full bucket
-- returns: boolean
-- cost: O(1), one hash
-- flags: write
local tokens = tonumber(redis.call('HGET', KEYS[1], 'tokens'))
-- No bucket is a full one.
if tokens == nil then
  return 0
end
-- Its end is left as it is: the key may outlive the moment at which it is full, which changes no answer.
redis.call('HSET', KEYS[1], 'tokens', string.format('%.6f', math.min(tonumber(ARGV[1]), tokens + 1)))
return 1
