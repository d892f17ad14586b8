// Generated from the headers of the .lua files beside it: change those and run `npm run generate`.
import type { Redis } from '#platform/redis/port.ts';
import { loadScript, reply } from '#platform/redis/script.ts';

const dropSeatsScript = loadScript(new URL('./drop-seats.lua', import.meta.url), {
  name: 'dropSeats',
  readOnly: false,
});

/** Forgets seats that came back. An entry of a later grant stays. Cost: O(seats). */
export async function dropSeats(
  redis: Redis,
  keys: {
    /** string "fence userId livesMs" of one seat each, at most 2000 */
    seats: readonly string[];
  },
  args: {
    /** the fence under which each seat came back */
    fences: readonly string[];
  },
): Promise<number> {
  const answer = await redis.runScript(dropSeatsScript, [...keys.seats], [...args.fences]);
  return reply.integer(answer, 'dropSeats');
}

const noteSeatsScript = loadScript(new URL('./note-seats.lua', import.meta.url), {
  name: 'noteSeats',
  readOnly: false,
});

/** Keeps what the database has just said of these seats, for a short time. What is there already stays and is not prolonged, unless the seat was granted anew since. Cost: O(seats). */
export async function noteSeats(
  redis: Redis,
  keys: {
    /** string "fence userId livesMs" of one seat each, at most 2000 */
    seats: readonly string[];
  },
  args: {
    /** how long an entry lives at most */
    entryMs: number;
    /** "fence userId livesMs" for each seat */
    entries: readonly string[];
  },
): Promise<number> {
  const answer = await redis.runScript(noteSeatsScript, [...keys.seats], [args.entryMs, ...args.entries]);
  return reply.integer(answer, 'noteSeats');
}

const shieldedSeatsScript = loadScript(new URL('./shielded-seats.lua', import.meta.url), {
  name: 'shieldedSeats',
  readOnly: true,
});

/** Tells whose these seats are, as far as the database has said so within the last seconds. An entry that would live longer than that, or for ever, is none of ours and is not believed. Cost: O(seats). */
export async function shieldedSeats(
  redis: Redis,
  keys: {
    /** string "fence userId livesMs" of one seat each, at most 2000 */
    seats: readonly string[];
  },
  args: {
    /** how long an entry lives at most */
    entryMs: number;
  },
): Promise<string[]> {
  const answer = await redis.runScript(shieldedSeatsScript, [...keys.seats], [args.entryMs]);
  return reply.list(answer, 'shieldedSeats').map((item) => reply.string(item, 'shieldedSeats'));
}
