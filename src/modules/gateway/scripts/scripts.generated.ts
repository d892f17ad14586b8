// Generated from the headers of the .lua files beside it: change those and run `npm run generate`.
import type { Redis } from '#platform/redis/port.ts';
import { loadScript, reply } from '#platform/redis/script.ts';

const giveTokenBackScript = loadScript(new URL('./give-back.lua', import.meta.url), {
  name: 'giveTokenBack',
  readOnly: false,
});

/** Puts one token back into a caller's bucket, as if the last one had not been taken. Cost: O(1), one hash. */
export async function giveTokenBack(
  redis: Redis,
  keys: {
    /** hash { tokens, atMs } of one caller and one class; gone when it is full again */
    bucket: string;
  },
  args: {
    /** tokens of a full bucket */
    capacity: number;
  },
): Promise<boolean> {
  const answer = await redis.runScript(giveTokenBackScript, [keys.bucket], [args.capacity]);
  return reply.boolean(answer, 'giveTokenBack');
}

const takeTokenScript = loadScript(new URL('./token-bucket.lua', import.meta.url), {
  name: 'takeToken',
  readOnly: false,
});

/** Takes one token from a caller's bucket, or says how long to wait for one. Cost: O(1), one hash. */
export async function takeToken(
  redis: Redis,
  keys: {
    /** hash { tokens, atMs } of one caller and one class; gone when it is full again */
    bucket: string;
  },
  args: {
    /** tokens of a full bucket */
    capacity: number;
    /** in which an empty bucket becomes full */
    refillMs: number;
  },
): Promise<{ allowed: boolean; remaining: number; waitMs: number; fullInMs: number }> {
  const answer = await redis.runScript(takeTokenScript, [keys.bucket], [args.capacity, args.refillMs]);
  const row = reply.tuple(answer, 4, 'takeToken');
  return { allowed: reply.boolean(row[0], 'takeToken'), remaining: reply.integer(row[1], 'takeToken'), waitMs: reply.integer(row[2], 'takeToken'), fullInMs: reply.integer(row[3], 'takeToken') };
}
