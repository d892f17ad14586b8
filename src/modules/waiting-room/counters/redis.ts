import { assert } from '#platform/assert.ts';
import type { Redis } from '#platform/redis/port.ts';
import { type Assigned, type Counters, type CountersRead, catchUpMaxMs, type NotThis, proofKeptMs } from '../ports.ts';
import * as scripts from '../scripts/scripts.generated.ts';

/** The counters in Redis or Valkey, standalone or Cluster: one hash for each room, one script for each step. */
export function createRedisCounters({ redis }: { redis: Redis }): Counters {
  return {
    begin: ({ eventId, ...args }) => scripts.beginCounters(redis, keysOf(eventId), args),

    async assign({ eventId, epoch, count, proofs = [], nowMs = -1 }) {
      const keys = { ...keysOf(eventId), proofs: `{${eventId}}:waiting-room:proofs` };
      const args = { epoch, count, keptMs: proofKeptMs, nowMs, proofs };
      const { status, first, granted, refused } = await scripts.assignNumbers(redis, keys, args);
      const places = refused === '' ? [] : refused.split(' ').map(Number);
      return notThis(status, first, granted) ?? ({ status: 'ok', first, granted, refused: places } satisfies Assigned);
    },

    raiseBound: ({ eventId, ...args }) => scripts.raiseBound(redis, keysOf(eventId), args),

    async advance({ eventId, nowMs = -1, ...args }) {
      const answer = await scripts.advanceServing(redis, keysOf(eventId), { ...args, catchUpMaxMs, nowMs });
      return answer.status === 'held' ? { status: 'held' } : shown(answer);
    },

    serve: async ({ eventId, ...args }) => shown(await scripts.serveLine(redis, keysOf(eventId), args)),
    read: async ({ eventId, ...args }) => shown(await scripts.readCounters(redis, keysOf(eventId), args)),
  };
}

/** In the slot of the event's queue, where there is one. */
function keysOf(eventId: string) {
  return { counters: `{${eventId}}:waiting-room` };
}

function shown(answer: { status: string; given: number; bound: number; serving: number }): CountersRead | NotThis {
  const { status, given, bound, serving } = answer;
  return notThis(status, given, bound) ?? { status: 'ok', given, bound, serving };
}

/** The numbers of an answer mean something else when it is none. */
function notThis(status: string, epoch: number, bound: number): NotThis | null {
  if (status === 'lost') return { status };
  if (status === 'superseded') return { status, epoch, bound };
  assert(status === 'ok', `the counters answered ${status}`);
  return null;
}
