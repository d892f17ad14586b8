-- name: tryLock
-- purpose: Takes a lock that nobody has. It ends by itself, even while its owner still works: it saves work between
--   processes, and nothing that must be right depends on it.
--   One that would last longer than any is given for was made before the clock was set back, and counts no more.
-- keys:
--   lock: string, its owner
-- args:
--   owner: string
--   ttlMs: integer
--   longestMs: integer, no lock is given for longer
-- returns: boolean
-- cost: O(1)
-- flags: write
if redis.call('PTTL', KEYS[1]) > tonumber(ARGV[3]) then
  redis.call('DEL', KEYS[1])
end
return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) and 1 or 0
