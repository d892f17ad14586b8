// Generated from the headers of the .lua files beside it: change those and run `npm run generate`.
import type { Redis } from '#platform/redis/port.ts';
import { loadScript, reply } from '#platform/redis/script.ts';

const advanceServingScript = loadScript(new URL('./advance-serving.lua', import.meta.url), {
  name: 'advanceServing',
  readOnly: false,
});

/** Serves the line at a rate since the last call, never past the last number. One process has the lease to do it. Cost: O(1). */
export async function advanceServing(
  redis: Redis,
  keys: {
    /** hash of the room */
    counters: string;
  },
  args: {
    epoch: number;
    ratePerSecond: number;
    owner: string;
    leaseMs: number;
    /** the line stands still for what is longer */
    catchUpMaxMs: number;
    /** negative: the time of this server */
    nowMs: number;
  },
): Promise<{ status: string; given: number; bound: number; serving: number }> {
  const answer = await redis.runScript(advanceServingScript, [keys.counters], [args.epoch, args.ratePerSecond, args.owner, args.leaseMs, args.catchUpMaxMs, args.nowMs]);
  const row = reply.tuple(answer, 4, 'advanceServing');
  return { status: reply.string(row[0], 'advanceServing'), given: reply.integer(row[1], 'advanceServing'), bound: reply.integer(row[2], 'advanceServing'), serving: reply.integer(row[3], 'advanceServing') };
}

const assignNumbersScript = loadScript(new URL('./assign-numbers.lua', import.meta.url), {
  name: 'assignNumbers',
  readOnly: false,
});

/** Gives the next numbers of a room, as many as the bound allows. Of those that were asked for with a proof of work, a used one gets none. Those behind the bound are not looked at: the first granted + refused ones are. Cost: O(proofs). */
export async function assignNumbers(
  redis: Redis,
  keys: {
    /** hash of the room */
    counters: string;
    /** sorted set of the proofs that were used lately, by when they are forgotten */
    proofs: string;
  },
  args: {
    epoch: number;
    count: number;
    /** how long a used proof is remembered */
    keptMs: number;
    /** negative: the time of this server */
    nowMs: number;
    /** for each number that is asked for; none at all: nobody has one */
    proofs: readonly string[];
  },
): Promise<{ status: string; first: number; granted: number; refused: string }> {
  const answer = await redis.runScript(assignNumbersScript, [keys.counters, keys.proofs], [args.epoch, args.count, args.keptMs, args.nowMs, ...args.proofs]);
  const row = reply.tuple(answer, 4, 'assignNumbers');
  return { status: reply.string(row[0], 'assignNumbers'), first: reply.integer(row[1], 'assignNumbers'), granted: reply.integer(row[2], 'assignNumbers'), refused: reply.string(row[3], 'assignNumbers') };
}

const beginCountersScript = loadScript(new URL('./begin-counters.lua', import.meta.url), {
  name: 'beginCounters',
  readOnly: false,
});

/** Begins an epoch of a room's counters, unless there is this one or a later one on this server. Cost: O(1). */
export async function beginCounters(
  redis: Redis,
  keys: {
    /** hash of the room */
    counters: string;
  },
  args: {
    epoch: number;
    /** the first number is the next one after this */
    first: number;
    bound: number;
    lineOffset: number;
    serving: number;
  },
): Promise<void> {
  await redis.runScript(beginCountersScript, [keys.counters], [args.epoch, args.first, args.bound, args.lineOffset, args.serving]);
}

const raiseBoundScript = loadScript(new URL('./raise-bound.lua', import.meta.url), {
  name: 'raiseBound',
  readOnly: false,
});

/** Numbers up to this one may be given, since no later epoch will give them. Cost: O(1). */
export async function raiseBound(
  redis: Redis,
  keys: {
    /** hash of the room */
    counters: string;
  },
  args: {
    epoch: number;
    bound: number;
  },
): Promise<void> {
  await redis.runScript(raiseBoundScript, [keys.counters], [args.epoch, args.bound]);
}

const readCountersScript = loadScript(new URL('./read-counters.lua', import.meta.url), {
  name: 'readCounters',
  readOnly: true,
});

/** How many numbers were given, and how far the line is served. Cost: O(1). */
export async function readCounters(
  redis: Redis,
  keys: {
    /** hash of the room */
    counters: string;
  },
  args: {
    epoch: number;
  },
): Promise<{ status: string; given: number; bound: number; serving: number }> {
  const answer = await redis.runScript(readCountersScript, [keys.counters], [args.epoch]);
  const row = reply.tuple(answer, 4, 'readCounters');
  return { status: reply.string(row[0], 'readCounters'), given: reply.integer(row[1], 'readCounters'), bound: reply.integer(row[2], 'readCounters'), serving: reply.integer(row[3], 'readCounters') };
}

const serveLineScript = loadScript(new URL('./serve-line.lua', import.meta.url), {
  name: 'serveLine',
  readOnly: false,
});

/** Serves so many places of the line at once, never past the last number. Cost: O(1). */
export async function serveLine(
  redis: Redis,
  keys: {
    /** hash of the room */
    counters: string;
  },
  args: {
    epoch: number;
    by: number;
  },
): Promise<{ status: string; given: number; bound: number; serving: number }> {
  const answer = await redis.runScript(serveLineScript, [keys.counters], [args.epoch, args.by]);
  const row = reply.tuple(answer, 4, 'serveLine');
  return { status: reply.string(row[0], 'serveLine'), given: reply.integer(row[1], 'serveLine'), bound: reply.integer(row[2], 'serveLine'), serving: reply.integer(row[3], 'serveLine') };
}
