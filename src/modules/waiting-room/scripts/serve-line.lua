-- name: serveLine
-- purpose: Serves so many places of the line at once, never past the last number.
-- keys:
--   counters: hash of the room
-- args:
--   epoch: integer
--   by: integer
-- returns: [status: string, given: integer, bound: integer, serving: integer]
-- cost: O(1)
-- flags: write
-- The counters count only on the server that began them: after a restart or on a promoted replica some of them may be missing.
local server = redis.call('INFO', 'server'):match('run_id:(%w+)')
local identity = server .. redis.call('INFO', 'replication'):match('master_replid2:(%w+)')
local state = redis.call('HMGET', KEYS[1], 'epoch', 'identity', 'given', 'bound', 'serving', 'lineOffset')
local epoch, asked = tonumber(state[1]), tonumber(ARGV[1])
if not epoch or epoch < asked or state[2] ~= identity then
  return { 'lost', 0, 0, 0 }
end
if epoch > asked then
  return { 'superseded', epoch, tonumber(state[4]), 0 }
end
local given, serving = tonumber(state[3]), tonumber(state[5])
serving = serving + math.max(0, math.min(tonumber(ARGV[2]), tonumber(state[6]) + given - serving))
redis.call('HSET', KEYS[1], 'serving', serving)
return { 'ok', given, tonumber(state[4]), serving }
