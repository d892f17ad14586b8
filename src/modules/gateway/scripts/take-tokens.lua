-- name: takeTokens
-- purpose: Counts what a process has granted a caller by itself, then takes the wanted tokens as far as there are any.
-- keys:
--   bucket: hash { tokens, atMs } of one caller and one class; gone when it is full again
-- args:
--   capacity: integer, tokens of a full bucket
--   refillMs: integer, in which an empty bucket becomes full
--   spent: number, granted already and so counted in any case: the bucket may fall below zero
--   wanted: integer, whole tokens to be taken
-- returns: [granted: integer, tokens: number]
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
tokens = math.min(capacity, tokens + passedMs * capacity / refillMs) - tonumber(ARGV[3])

local granted = math.min(tonumber(ARGV[4]), math.max(0, math.floor(tokens)))
tokens = tokens - granted

local left = string.format('%.6f', tokens)
redis.call('HSET', KEYS[1], 'tokens', left, 'atMs', string.format('%.0f', nowMs))
-- A bucket that would be full is the same as none, so the key lives no longer than until then.
redis.call('PEXPIRE', KEYS[1], math.max(1, math.ceil((capacity - tokens) * refillMs / capacity)))
return { granted, left }
