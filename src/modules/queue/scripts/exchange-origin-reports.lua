-- name: exchangeOriginReports
-- purpose: Notes what one process saw of the origin and answers with what all of them saw lately.
-- keys:
--   reports: hash process → time and what it saw
-- args:
--   owner: string, the process
--   report: string, empty when it saw nothing
--   keptMs: integer, what is older was told by a process that is gone
-- returns: string[]
-- cost: O(number of processes)
-- flags: write
local reports, owner, report, keptMs = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3])
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
if report == '' then
  redis.call('HDEL', reports, owner)
else
  redis.call('HSET', reports, owner, string.format('%.0f %s', nowMs, report))
  redis.call('PEXPIRE', reports, keptMs)
end
local answer = {}
local all = redis.call('HGETALL', reports)
for i = 1, #all, 2 do
  local atMs, seen = all[i + 1]:match('^(%d+) (.*)$')
  if nowMs - tonumber(atMs) > keptMs then
    redis.call('HDEL', reports, all[i])
  else
    answer[#answer + 1] = seen
  end
end
return answer
