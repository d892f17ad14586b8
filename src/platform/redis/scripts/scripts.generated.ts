// Generated from the headers of the .lua files beside it: change those and run `npm run generate`.
import type { Redis } from '#platform/redis/port.ts';
import { loadScript, reply } from '#platform/redis/script.ts';

const serverIdentityScript = loadScript(new URL('./server-identity.lua', import.meta.url), {
  name: 'serverIdentity',
  readOnly: true,
});

/** Which server owns the key: another answer after a restart, a fail-over, or a fail-over and back. And its role: a read replica answers this script too. Cost: O(1). */
export async function serverIdentity(
  redis: Redis,
  keys: {
    /** any key; on a cluster it decides which node is asked */
    probe: string;
  },
): Promise<{ role: string; identity: string }> {
  const answer = await redis.runScript(serverIdentityScript, [keys.probe], []);
  const row = reply.tuple(answer, 2, 'serverIdentity');
  return { role: reply.string(row[0], 'serverIdentity'), identity: reply.string(row[1], 'serverIdentity') };
}

const tryLockScript = loadScript(new URL('./try-lock.lua', import.meta.url), {
  name: 'tryLock',
  readOnly: false,
});

/** Takes a lock that nobody has. It ends by itself, even while its owner still works: it saves work between processes, and nothing that must be right depends on it. One that would last longer than any is given for was made before the clock was set back, and counts no more. Cost: O(1). */
export async function tryLock(
  redis: Redis,
  keys: {
    /** string, its owner */
    lock: string;
  },
  args: {
    owner: string;
    ttlMs: number;
    /** no lock is given for longer */
    longestMs: number;
  },
): Promise<boolean> {
  const answer = await redis.runScript(tryLockScript, [keys.lock], [args.owner, args.ttlMs, args.longestMs]);
  return reply.boolean(answer, 'tryLock');
}

const unlockScript = loadScript(new URL('./unlock.lua', import.meta.url), {
  name: 'unlock',
  readOnly: false,
});

/** Gives the lock back if it is still the owner's. Cost: O(1). */
export async function unlock(
  redis: Redis,
  keys: {
    /** string, the owner */
    lock: string;
  },
  args: {
    owner: string;
  },
): Promise<void> {
  await redis.runScript(unlockScript, [keys.lock], [args.owner]);
}
