-- name: beginCounters
-- purpose: Begins an epoch of a room's counters, unless there is this one or a later one on this server.
-- keys:
--   counters: hash of the room
-- args:
--   epoch: integer
--   first: integer, the first number is the next one after this
--   bound: integer
--   lineOffset: integer
--   serving: integer
-- returns: nothing
-- cost: O(1)
-- flags: write
local server = redis.call('INFO', 'server'):match('run_id:(%w+)')
local identity = server .. redis.call('INFO', 'replication'):match('master_replid2:(%w+)')
local state = redis.call('HMGET', KEYS[1], 'epoch', 'identity')
-- What another server had of an epoch is none of it.
if state[1] and tonumber(state[1]) >= tonumber(ARGV[1]) and state[2] == identity then
  return
end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'epoch', ARGV[1], 'identity', identity, 'given', ARGV[2], 'bound', ARGV[3],
  'lineOffset', ARGV[4], 'serving', ARGV[5], 'credit', '0')
