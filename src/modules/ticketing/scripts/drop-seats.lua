-- name: dropSeats
-- purpose: Forgets seats that came back. An entry of a later grant stays.
-- keys:
--   seats...: string "fence userId livesMs" of one seat each, at most 2000
-- args:
--   fences...: string, the fence under which each seat came back
-- returns: integer
-- cost: O(seats)
-- flags: write
local dropped = 0
for i = 1, #KEYS do
  local entry = redis.pcall('GET', KEYS[i])
  if type(entry) == 'string' and entry:match('^(%d+) ') == ARGV[i] then
    dropped = dropped + redis.call('DEL', KEYS[i])
  end
end
return dropped
