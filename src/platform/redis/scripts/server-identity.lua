-- name: serverIdentity
-- purpose: Which server owns the key: another answer after a restart, a fail-over, or a fail-over and back. And its role:
--   a read replica answers this script too.
-- keys:
--   probe: any key; on a cluster it decides which node is asked
-- args: none
-- returns: [role: string, identity: string]
-- cost: O(1)
-- flags: read-only
redis.call('EXISTS', KEYS[1])
-- Not master_replid alone: that one changes as well when a first replica is attached, and nothing is lost then.
local run = redis.call('INFO', 'server'):match('run_id:(%w+)')
local replication = redis.call('INFO', 'replication')
return { replication:match('role:(%w+)'), run .. ':' .. replication:match('master_replid2:(%w+)') }
