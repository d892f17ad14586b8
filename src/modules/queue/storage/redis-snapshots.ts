import type { Redis } from '#platform/redis/port.ts';
import { flushersMax, outageMs, type QueueStore, type StoreSnapshot } from '../ports.ts';
import { takeSnapshot } from '../scripts/scripts.generated.ts';
import { eventKeys } from './redis-keys.ts';
import { lost, type SnapshotReply, toSnapshot } from './redis-replies.ts';

export interface Snapshots {
  readonly take: QueueStore['snapshot'];
  forget(eventId: string): void;
}

interface KnownDenials {
  readonly epoch: number;
  readonly serial: number;
  /** The first to end first. */
  readonly denied: StoreSnapshot['denied'];
}

const deniedPerPage = 1_000;
const pagesMax = 1_000;
const nothingKnown: KnownDenials = { epoch: 0, serial: 0, denied: [] };

/**
 * Denied slots pile up for as long as slots last, thousands of them on a busy sale. Each process asks for the new ones
 * only and keeps the others, so that a refresh each second stays small.
 */
export function createSnapshots(redis: Redis): Snapshots {
  const known = new Map<string, KnownDenials>();

  return {
    async take({ eventId, flusher, nowMs = -1 }) {
      const flush = { flusher: flusher?.id ?? '', isLeaving: Number(flusher?.isLeaving ?? false) };
      let denials = known.get(eventId) ?? nothingKnown;
      for (let page = 0; page < pagesMax; page += 1) {
        const args = { deniedAfter: denials.serial, deniedMax: deniedPerPage, nowMs, ...flush, outageMs, flushersMax };
        const reply = toSnapshot(await takeSnapshot(redis, eventKeys(eventId), args));
        if (reply.status === 'lost') {
          known.delete(eventId);
          return lost;
        }
        if (denials.epoch !== reply.epoch && denials.serial > 0) {
          // Serial numbers began anew with the epoch.
          denials = nothingKnown;
          continue;
        }
        denials = merge(denials, reply);
        known.set(eventId, denials);
        if (reply.denied.length < deniedPerPage) return { ...reply, denied: denials.denied };
      }
      throw new Error(`${eventId} has more than ${pagesMax * deniedPerPage} denied slots`);
    },

    forget: (eventId) => void known.delete(eventId),
  };
}

function merge(known: KnownDenials, { epoch, atMs, denied }: SnapshotReply): KnownDenials {
  const kept = known.denied.filter(({ untilMs }) => untilMs > atMs);
  const added = denied.filter(({ untilMs }) => untilMs > atMs).map(({ slotId, untilMs }) => ({ slotId, untilMs }));
  const all = added.length === 0 ? kept : [...kept, ...added].sort(byEnd);
  return { epoch, serial: denied.at(-1)?.serial ?? known.serial, denied: all };
}

type Denied = StoreSnapshot['denied'][number];

function byEnd(a: Denied, b: Denied): number {
  if (a.untilMs !== b.untilMs) return a.untilMs - b.untilMs;
  return a.slotId < b.slotId ? -1 : 1;
}
