import { assert } from '#platform/assert.ts';
import type { Redis } from '#platform/redis/port.ts';
import { tryLock, unlock } from '#platform/redis/scripts/scripts.generated.ts';
import {
  claimMax,
  deniedMax,
  flusherKeptMs,
  freeMax,
  lockLongestMs,
  marksKept,
  marksMax,
  mergeMax,
  outageMs,
  type QueueSettings,
  type QueueStore,
  touchMax,
} from '../ports.ts';
import * as scripts from '../scripts/scripts.generated.ts';
import { beginInRedis } from './redis-begin.ts';
import { dumpFromRedis } from './redis-dump.ts';
import { createEntries } from './redis-entries.ts';
import { createIdentity } from './redis-identity.ts';
import { activeEventsKey, eventKeys } from './redis-keys.ts';
import {
  changeLine,
  lost,
  toAdmitResult,
  toChanges,
  toEndSlotResult,
  toLeaveResult,
  toMarks,
  toTrace,
} from './redis-replies.ts';
import { createSnapshots } from './redis-snapshots.ts';

/** A process says again so often that an event is active, so that a lost hint comes back. */
const hintEveryMs = 5_000;
/** In one try to remove an event; if there are more, the next try goes on. */
const denialsLookedAt = 10_000;

/** The queues in Redis or Valkey, standalone or Cluster: one script for each step. */
export function createRedisStore({ redis }: { redis: Redis }): QueueStore {
  const hintedAtMs = new Map<string, number>();

  /** Never fails: on a Cluster the hints may be on a node that is away, and the event on one that is not. */
  async function hint(eventId: string): Promise<void> {
    hintedAtMs.set(eventId, performance.now());
    await redis.command('SADD', activeEventsKey, eventId).catch(() => undefined);
  }

  return {
    enter: createEntries({
      redis,
      async onPlaced(eventId, first) {
        const hintIsOld = performance.now() - (hintedAtMs.get(eventId) ?? Number.NEGATIVE_INFINITY) > hintEveryMs;
        if (first || hintIsOld) await hint(eventId);
      },
    }),

    async touch(call) {
      assert(call.userIds.length <= touchMax, `${call.userIds.length} signs of life in one call`);
      const args = { nowMs: timeOf(call), userIds: call.userIds };
      const [status, ...unknown] = await scripts.touchUsers(redis, eventKeys(call.eventId), args);
      return status === 'lost' ? lost : { unknown };
    },

    async claim(call) {
      assert(call.claims.length <= claimMax, `${call.claims.length} claims in one call`);
      const claims = call.claims.flatMap(({ userId, slotId }) => [userId, slotId]);
      const claimed = await scripts.claimSlots(redis, eventKeys(call.eventId), { nowMs: timeOf(call), claims });
      return claimed < 0 ? lost : { claimed };
    },

    async leave(call) {
      const { eventId, userId } = call;
      return toLeaveResult(
        await scripts.leaveQueue(redis, eventKeys(eventId), { userId, nowMs: timeOf(call) }),
        userId,
      );
    },

    async endSlot(call) {
      const { eventId, userId, slotId } = call;
      const answer = await scripts.endSlot(redis, eventKeys(eventId), { userId, slotId, nowMs: timeOf(call) });
      return toEndSlotResult(answer, call);
    },

    async admit(call) {
      const { eventId, admitMax, parkMax, absentMs, claimMs, activeTtlMs } = call;
      const answer = await scripts.admitUsers(redis, eventKeys(eventId), {
        ...{ eventId, admitMax, parkMax, absentMs, claimMs, activeTtlMs, freeMax, deniedMax },
        ...{ outageMs: call.outageMs ?? outageMs, silentMs: outageMs, flusherKeptMs },
        activeSeenTtlMs: call.activeSeenTtlMs ?? -1,
        nowMs: timeOf(call),
      });
      return toAdmitResult(answer);
    },

    snapshot: createSnapshots(redis),

    async forget(call) {
      const { eventId, seenTtlMs, limit } = call;
      const forgotten = await scripts.forgetUsers(redis, eventKeys(eventId), { seenTtlMs, limit, nowMs: timeOf(call) });
      return forgotten < 0 ? lost : { forgotten };
    },

    async configure({ eventId, changes, version = 0 }) {
      const { threshold, paused, closed, message } = changes;
      const answer = await scripts.configureQueue(redis, eventKeys(eventId), {
        threshold: threshold === undefined ? '' : String(threshold),
        paused: paused === undefined ? '' : String(Number(paused)),
        closed: closed === undefined ? '' : String(Number(closed)),
        messageChange: message === undefined ? '' : message === null ? 'remove' : 'set',
        message: message ?? '',
        version,
      });
      if (answer.status === 'lost') return lost;
      const before: QueueSettings = {
        threshold: Number(answer.threshold),
        paused: answer.paused === '1',
        closed: answer.closed === '1',
        message: answer.message,
      };
      return { before, after: { ...before, ...given(changes) } };
    },

    async clear({ eventId, limit, upTo = [-1, -1] }) {
      const [presaleUpTo, generalUpTo] = upTo;
      const args = { limit, presaleUpTo, generalUpTo };
      const { cleared, left, ...bound } = await scripts.clearQueue(redis, eventKeys(eventId), args);
      return cleared < 0 ? lost : { cleared, left, upTo: [bound.presaleUpTo, bound.generalUpTo] };
    },

    async trace(call) {
      const { eventId, userId } = call;
      const answer = await scripts.traceUser(redis, eventKeys(eventId), { userId, nowMs: timeOf(call) });
      return toTrace(answer, userId);
    },

    async changes({ eventId, limit }) {
      return toChanges(await scripts.readChanges(redis, eventKeys(eventId), { limit }));
    },
    acknowledge: ({ eventId, epoch, upTo }) =>
      scripts.acknowledgeChanges(redis, eventKeys(eventId), { epoch, upTo, recentMax: marksKept }),
    async marks({ eventId, epoch, from }) {
      return toMarks(await scripts.readMarks(redis, eventKeys(eventId), { epoch, from, limit: marksMax }));
    },

    hold: (call) => scripts.holdAdmission(redis, eventKeys(call.eventId), { forMs: call.forMs, nowMs: timeOf(call) }),

    async begin(call) {
      const answer = await beginInRedis(redis, eventKeys(call.eventId), call);
      if (answer.begun && call.slots.length > 0) await hint(call.eventId);
      return answer;
    },

    async merge(call) {
      const { eventId, epoch, changes } = call;
      assert(changes.length <= mergeMax, `${changes.length} late changes in one call`);
      const args = { epoch, nowMs: timeOf(call), lines: changes.map(changeLine) };
      const answer = await scripts.mergeLate(redis, eventKeys(eventId), args);
      if (answer === 'lost') return lost;
      if (answer === 'merged') await hint(eventId);
      return { merged: answer === 'merged' };
    },

    async remove({ eventId, epoch, nowMs = -1 }) {
      const { lock: _lock, turn: _turn, ...keys } = eventKeys(eventId);
      const { meta, loading, queue, parked, active, changes, denied, spent, chunks, ...rest } = keys;
      const named = { meta, loading, queue, parked, active, changes, denied, spent, chunks };
      const args = { epoch, deniedMax: denialsLookedAt, nowMs };
      const removed = await scripts.removeEvent(redis, { ...named, others: Object.values(rest) }, args);
      if (!removed) return { removed };
      hintedAtMs.delete(eventId);
      await redis.command('SREM', activeEventsKey, eventId);
      return { removed };
    },

    dump: (call) => dumpFromRedis(redis, call, createSnapshots(redis)),

    endRecovery: ({ eventId, epoch }) => scripts.endRecovery(redis, eventKeys(eventId), { epoch }),

    async switchRoom({ eventId, era, room }) {
      const args = { era, roomOn: Number(room.on), roomEra: room.era, version: room.version };
      const answer = await scripts.switchRoom(redis, eventKeys(eventId), args);
      return answer === 'lost' ? lost : { switched: answer === 'switched' };
    },

    async activeEvents() {
      const members = await redis.command('SMEMBERS', activeEventsKey);
      assert(Array.isArray(members), 'SMEMBERS answered without a list');
      return members.map(String).sort();
    },

    async dropIdle(eventId) {
      await redis.command('SREM', activeEventsKey, eventId);
      hintedAtMs.delete(eventId);
      // Somebody may have come in between; who comes after this look says so again.
      const busy = await scripts.isBusy(redis, eventKeys(eventId));
      if (busy) await hint(eventId);
    },

    async tryLock({ eventId, owner, ttlMs, turn = false }) {
      const keys = eventKeys(eventId);
      const args = { owner, ttlMs, longestMs: Math.max(ttlMs, lockLongestMs) };
      return tryLock(redis, { lock: turn ? keys.turn : keys.lock }, args);
    },
    unlock: ({ eventId, owner }) => unlock(redis, eventKeys(eventId), { owner }),

    ...createIdentity(redis),
  };
}

function timeOf({ nowMs }: { nowMs?: number }): number {
  return nowMs ?? -1;
}

/** Without the fields that are there and undefined. */
function given(changes: Partial<QueueSettings>): Partial<QueueSettings> {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}
