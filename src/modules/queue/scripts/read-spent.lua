-- name: readSpent
-- purpose: A part of a bitmap of spent places, as hexadecimal text. Empty at its end.
-- keys:
--   bitmap: string
-- args:
--   from: integer, the first byte
--   length: integer, at most 16384
-- returns: string
-- cost: O(length)
-- flags: read-only
local from = tonumber(ARGV[1])
local bytes = redis.call('GETRANGE', KEYS[1], from, from + tonumber(ARGV[2]) - 1)
return (bytes:gsub('.', function(byte)
  return string.format('%02x', string.byte(byte))
end))
