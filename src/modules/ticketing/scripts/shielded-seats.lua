-- name: shieldedSeats
-- purpose: Tells whose these seats are, as far as the database has said so within the last seconds. An entry that would live longer than
--   that, or for ever, is none of ours and is not believed.
-- keys:
--   seats...: string "fence userId livesMs" of one seat each, at most 2000
-- args:
--   entryMs: integer, how long an entry lives at most
-- returns: string[]
-- cost: O(seats)
-- flags: read-only
local entryMs = tonumber(ARGV[1])
local owners = {}
for i = 1, #KEYS do
  local entry = redis.pcall('GET', KEYS[i])
  local owner = type(entry) == 'string' and entry:match('^%d+ (%S+)')
  if owner then
    local livesMs = redis.call('PTTL', KEYS[i])
    owner = livesMs >= 0 and livesMs <= entryMs and owner
  end
  owners[i] = owner or ''
end
return owners
