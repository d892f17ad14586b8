-- name: advanceServing
-- purpose: Serves the line at a rate since the last call, never past the last number. One process has the lease to do it.
-- keys:
--   counters: hash of the room
-- args:
--   epoch: integer
--   ratePerSecond: number
--   owner: string
--   leaseMs: integer
--   catchUpMaxMs: integer, the line stands still for what is longer
--   nowMs: integer, negative: the time of this server
-- returns: [status: string, given: integer, bound: integer, serving: integer]
-- cost: O(1)
-- flags: write
-- The counters count only on the server that began them: after a restart or on a promoted replica some of them may be missing.
local server = redis.call('INFO', 'server'):match('run_id:(%w+)')
local identity = server .. redis.call('INFO', 'replication'):match('master_replid2:(%w+)')
local state = redis.call('HMGET', KEYS[1], 'epoch', 'identity', 'given', 'bound', 'serving', 'lineOffset', 'credit',
  'advancedAtMs', 'leaseOwner', 'leaseUntilMs')
local epoch, asked = tonumber(state[1]), tonumber(ARGV[1])
if not epoch or epoch < asked or state[2] ~= identity then
  return { 'lost', 0, 0, 0 }
end
if epoch > asked then
  return { 'superseded', epoch, tonumber(state[4]), 0 }
end
local now = tonumber(ARGV[6])
if now < 0 then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local leaseMs = tonumber(ARGV[4])
local leftMs = (state[9] and state[9] ~= ARGV[3]) and tonumber(state[10]) - now or 0
-- One that would last longer was taken before the clock was set back.
if leftMs > 0 and leftMs <= leaseMs then
  return { 'held', 0, 0, 0 }
end
local given, serving = tonumber(state[3]), tonumber(state[5])
local lastLine = tonumber(state[6]) + given
local elapsedMs = math.max(0, math.min(now - (tonumber(state[8]) or now), tonumber(ARGV[5])))
local rate = tonumber(ARGV[2])
-- Nothing that was saved up is left for a line that is to stand still.
local credit = rate == 0 and 0 or tonumber(state[7]) + rate * elapsedMs / 1000
local by = math.max(0, math.min(math.floor(credit), lastLine - serving))
serving = serving + by
credit = credit - by
-- Nobody waits, so nothing is saved up.
if serving == lastLine then
  credit = math.min(credit, 1)
end
redis.call('HSET', KEYS[1], 'serving', serving, 'credit', string.format('%.9f', credit), 'advancedAtMs', now,
  'leaseOwner', ARGV[3], 'leaseUntilMs', now + leaseMs)
return { 'ok', given, tonumber(state[4]), serving }
