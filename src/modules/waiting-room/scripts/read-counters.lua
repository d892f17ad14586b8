-- name: readCounters
-- purpose: How many numbers were given, and how far the line is served.
-- keys:
--   counters: hash of the room
-- args:
--   epoch: integer
-- returns: [status: string, given: integer, bound: integer, serving: integer]
-- cost: O(1)
-- flags: read-only
-- The counters count only on the server that began them: after a restart or on a promoted replica some of them may be missing.
local server = redis.call('INFO', 'server'):match('run_id:(%w+)')
local identity = server .. redis.call('INFO', 'replication'):match('master_replid2:(%w+)')
local state = redis.call('HMGET', KEYS[1], 'epoch', 'identity', 'given', 'bound', 'serving')
local epoch, asked = tonumber(state[1]), tonumber(ARGV[1])
if not epoch or epoch < asked or state[2] ~= identity then
  return { 'lost', 0, 0, 0 }
end
if epoch > asked then
  return { 'superseded', epoch, tonumber(state[4]), 0 }
end
return { 'ok', tonumber(state[3]), tonumber(state[4]), tonumber(state[5]) }
