-- name: assignNumbers
-- purpose: Gives the next numbers of a room, as many as the bound allows.
-- keys:
--   counters: hash of the room
-- args:
--   epoch: integer
--   count: integer
-- returns: [status: string, first: integer, granted: integer]
-- cost: O(1)
-- flags: write
-- The counters count only on the server that began them: after a restart or on a promoted replica some of them may be missing.
local server = redis.call('INFO', 'server'):match('run_id:(%w+)')
local identity = server .. redis.call('INFO', 'replication'):match('master_replid2:(%w+)')
local state = redis.call('HMGET', KEYS[1], 'epoch', 'identity', 'given', 'bound')
local epoch, asked = tonumber(state[1]), tonumber(ARGV[1])
if not epoch or epoch < asked or state[2] ~= identity then
  return { 'lost', 0, 0 }
end
if epoch > asked then
  return { 'superseded', 0, 0 }
end
local given = tonumber(state[3])
local granted = math.max(0, math.min(tonumber(ARGV[2]), tonumber(state[4]) - given))
if granted > 0 then
  redis.call('HINCRBY', KEYS[1], 'given', granted)
end
return { 'ok', given + 1, granted }
