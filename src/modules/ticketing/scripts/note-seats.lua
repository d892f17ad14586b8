-- name: noteSeats
-- purpose: Keeps what the database has just said of these seats, for a short time. What is there already stays and is not prolonged, unless
--   the seat was granted anew since.
-- keys:
--   seats...: string "fence userId livesMs" of one seat each, at most 2000
-- args:
--   entryMs: integer, how long an entry lives at most
--   entries...: string, "fence userId livesMs" for each seat
-- returns: integer
-- cost: O(seats)
-- flags: write
local entryMs = tonumber(ARGV[1])
local kept = 0
for i = 1, #KEYS do
  local entry = redis.pcall('GET', KEYS[i])
  local known = type(entry) == 'string' and tonumber(entry:match('^(%d+) '))
  local livesMs = known and redis.call('PTTL', KEYS[i])
  local isOurs = known and livesMs >= 0 and livesMs <= entryMs
  local fence = tonumber(ARGV[i + 1]:match('^(%d+) '))
  if not isOurs or known < fence then
    redis.call('SET', KEYS[i], ARGV[i + 1], 'PX', tonumber(ARGV[i + 1]:match(' (%d+)$')))
    kept = kept + 1
  end
end
return kept
