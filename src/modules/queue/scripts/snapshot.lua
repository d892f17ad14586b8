-- name: takeSnapshot
-- purpose: Everything a process needs to answer polls without asking again, and its word that it has told its signs of life.
-- keys:
--   meta: hash of the event
--   queue: zset order → userId
--   parked: zset order → userId of people who are away
--   active: zset slot end → userId
--   denied: zset serial number → end and id of a slot that ended early
--   window: hash, a ring of admissions per second
--   flushers: zset last word → process that answers polls
-- args:
--   deniedAfter: integer, the last serial number that the caller knows
--   deniedMax: integer
--   nowMs: integer, -1 for the server's clock
--   flusher: string, the process that has told its signs of life; empty when nobody says so
--   isLeaving: integer, 1 when it answers no polls any more
--   outageMs: integer, a longer silence of a flusher is nobody's absence
--   flushersMax: integer, how many are kept; the most silent go first
-- returns: string[]
-- cost: O(b · log n) for b breakpoints and n waiting, plus what is denied, at most deniedMax
-- flags: write
local meta, queue, parked, active, denied, window = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local state = redis.call('HMGET', meta, 'epoch', 'era', 'watermark', 'threshold', 'paused', 'closed', 'message',
  'recoveringUntilMs', 'joined', 'admitted', 'left', 'noShows', 'forgotten', 'denials',
  'cleared', 'clearedPresale', 'clearedGeneral', 'settingsVersion', 'roomOn', 'roomEra', 'roomVersion', 'numbered')
if not state[1] then
  return { 'lost' }
end
local nowMs = tonumber(ARGV[3])
if nowMs < 0 then
  local time = redis.call('TIME')
  nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
end

local flushers, flusher, now = KEYS[7], ARGV[4], string.format('%.0f', nowMs)
if flusher ~= '' then
  local silentForMs = nowMs - (redis.call('ZSCORE', flushers, flusher) or nowMs)
  local isSilent = silentForMs > tonumber(ARGV[6])
  -- Nobody else has said anything since, either.
  local areAllSilent = isSilent and nowMs - redis.call('ZRANGE', flushers, -1, -1, 'WITHSCORES')[2] > tonumber(ARGV[6])
  local isNoted = true
  if ARGV[5] == '1' then
    redis.call('ZREM', flushers, flusher)
  else
    -- A server that is full and takes no writes still answers, and the process counts as silent, which is true.
    isNoted = type(redis.pcall('ZADD', flushers, now, flusher)) == 'number'
    redis.call('ZREMRANGEBYRANK', flushers, 0, -(tonumber(ARGV[7]) + 1))
  end
  if isNoted and isSilent then
    redis.call('HSET', meta, 'seenFloorMs', now)
  end
  if isNoted and areAllSilent then
    redis.call('HSET', meta, 'outageFloorMs', now)
  end
end

local answer = { 'ok' }
local function say(value)
  answer[#answer + 1] = type(value) == 'number' and string.format('%.0f', value) or value
end

say(state[1])
say(state[2])
say(nowMs)
say(state[3])
local waiting = redis.call('ZCARD', queue)
say(waiting)
say(redis.call('ZCARD', parked))
say(redis.call('ZCOUNT', active, '(' .. string.format('%.0f', nowMs), '+inf'))
say(state[4])
say(state[5])
say(state[6])
-- A message may be anything, also empty, so whether there is one is said before it.
say(state[7] and 'message' or '')
say(state[7] or '')
say(nowMs < tonumber(state[8]) and '1' or '0')
for i = 9, 22 do
  say(state[i] or '0')
end

local perSecond = {}
for _, entry in ipairs(redis.call('HVALS', window)) do
  local second, count = entry:match('^(%d+) (%d+)$')
  perSecond[tonumber(second)] = count
end
local thisSecond = math.floor(nowMs / 1000)
for second = thisSecond - 60, thisSecond - 1 do
  say(perSecond[second] or '0')
end

-- The ranks of breakpointRanks in domain/ranks.ts.
local ranks = {}
local rank = 1
while rank < waiting do
  ranks[#ranks + 1] = rank
  rank = rank + (rank < 2001 and 50 or math.floor(rank / 50))
end
if waiting > 0 then
  ranks[#ranks + 1] = waiting
end
say(#ranks)
for _, at in ipairs(ranks) do
  say(at)
  say(redis.call('ZRANGE', queue, at - 1, at - 1, 'WITHSCORES')[2])
end

-- Few are new since the caller last asked, however many there are.
local after = string.format('(%.0f', tonumber(ARGV[1]))
for _, item in ipairs(redis.call('ZRANGEBYSCORE', denied, after, '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[2])) do
  say(item)
end
return answer
