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

const takeTokensScript = loadScript(new URL('./take-tokens.lua', import.meta.url), {
  name: 'takeTokens',
  readOnly: false,
});

/** Counts what a process has granted a caller by itself, then takes the wanted tokens as far as there are any. Cost: O(1), one hash. */
export async function takeTokens(
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
    /** granted already and so counted in any case: the bucket may fall below zero */
    spent: number;
    /** whole tokens to be taken */
    wanted: number;
  },
): Promise<{ granted: number; tokens: number }> {
  const answer = await redis.runScript(takeTokensScript, [keys.bucket], [args.capacity, args.refillMs, args.spent, args.wanted]);
  const row = reply.tuple(answer, 2, 'takeTokens');
  return { granted: reply.integer(row[0], 'takeTokens'), tokens: reply.number(row[1], 'takeTokens') };
}
