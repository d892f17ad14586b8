-- name: assignNumbers
-- purpose: Gives the next numbers of a room, as many as the bound allows. Of those that were asked for with a proof of work, a
--   used one gets none. Those behind the bound are not looked at: the first granted + refused ones are.
-- keys:
--   counters: hash of the room
--   proofs: sorted set of the proofs that were used lately, by when they are forgotten
-- args:
--   epoch: integer
--   count: integer
--   keptMs: integer, how long a used proof is remembered
--   nowMs: integer, negative: the time of this server
--   proofs...: string, for each number that is asked for; none at all: nobody has one
-- returns: [status: string, first: integer, granted: integer, refused: string]
-- cost: O(proofs)
-- flags: write
-- The counters count only on the server that began them: after a restart or on a promoted replica some of them may be missing.
local server = redis.call('INFO', 'server'):match('run_id:(%w+)')
local identity = server .. redis.call('INFO', 'replication'):match('master_replid2:(%w+)')
local state = redis.call('HMGET', KEYS[1], 'epoch', 'identity', 'given', 'bound')
local epoch, asked = tonumber(state[1]), tonumber(ARGV[1])
if not epoch or epoch < asked or state[2] ~= identity then
  return { 'lost', 0, 0, '' }
end
if epoch > asked then
  return { 'superseded', epoch, tonumber(state[4]), '' }
end
local given = tonumber(state[3])
local free = math.max(0, tonumber(state[4]) - given)
local granted = math.min(tonumber(ARGV[2]), free)
local refused = {}
if #ARGV > 4 then
  local now = tonumber(ARGV[4])
  if now < 0 then
    local time = redis.call('TIME')
    now = time[1] * 1000 + math.floor(time[2] / 1000)
  end
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
  granted = 0
  for i = 5, #ARGV do
    if granted == free then
      break
    end
    if ARGV[i] == '' or redis.call('ZADD', KEYS[2], 'NX', now + ARGV[3], ARGV[i]) == 1 then
      granted = granted + 1
    else
      refused[#refused + 1] = i - 5
    end
  end
  redis.call('PEXPIRE', KEYS[2], ARGV[3])
end
if granted > 0 then
  redis.call('HINCRBY', KEYS[1], 'given', granted)
end
return { 'ok', given + 1, granted, table.concat(refused, ' ') }
