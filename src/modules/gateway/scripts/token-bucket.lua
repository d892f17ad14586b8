-- name: takeToken
-- purpose: Takes one token from a caller's bucket, or says how long to wait for one.
-- keys:
--   bucket: hash { tokens, atMs } of one caller and one class; gone when it is full again
-- args:
--   capacity: integer, tokens of a full bucket
--   refillMs: integer, in which an empty bucket becomes full
-- returns: [allowed: boolean, remaining: integer, waitMs: integer, fullInMs: integer]
-- cost: O(1), one hash
-- flags: write
local capacity = tonumber(ARGV[1])
local refillMs = tonumber(ARGV[2])
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)

local stored = redis.call('HMGET', KEYS[1], 'tokens', 'atMs')
local tokens = tonumber(stored[1]) or capacity
-- The server's clock may step back; the bucket then waits and never drains for it.
local passedMs = math.max(0, nowMs - (tonumber(stored[2]) or nowMs))
tokens = math.min(capacity, tokens + passedMs * capacity / refillMs)

local allowed = 0
if tokens >= 1 then
  allowed = 1
  tokens = tokens - 1
end

local fullInMs = math.ceil((capacity - tokens) * refillMs / capacity)
redis.call('HSET', KEYS[1], 'tokens', string.format('%.6f', tokens), 'atMs', string.format('%.0f', nowMs))
-- A bucket that would be full is the same as none, so the key lives no longer than refillMs.
redis.call('PEXPIRE', KEYS[1], math.max(1, fullInMs))

local waitMs = 0
if allowed == 0 then
  waitMs = math.ceil((1 - tokens) * refillMs / capacity)
end
return { allowed, math.floor(tokens), waitMs, fullInMs }
