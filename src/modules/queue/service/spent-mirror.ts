import type { Logger } from '#platform/telemetry/logger.ts';
import type { PlaceOrder } from '../domain/place-order.ts';
import type { QueueStore, StoreSnapshot } from '../ports.ts';
import { createSpentMarks, type SpentMarks } from '../storage/spent-marks.ts';

/** Which places of an event are over, as far as its last snapshot says. */
export interface KnownSpent {
  has(order: PlaceOrder): boolean;
}

export interface SpentMirror {
  /** Null: it is not known, and whoever may be concerned has to ask the store. Never fails. */
  follow(eventId: string, snapshot: StoreSnapshot): Promise<KnownSpent | null>;
  forget(eventId: string): void;
}

interface Mirrored {
  readonly epoch: number;
  readonly marks: SpentMarks;
  /** The first change that is not in the marks yet. */
  from: number;
}

/** What is left after that comes with the next look. */
const readsMax = 4;

/**
 * With tier 1 people come by numbers that were given long ago, so orders below the highest admitted one are the normal case, and
 * whether such a place is over only its mark says. Each process keeps these marks: one bit for a place, 128 kB for a million of
 * them, and one call a second for what is new. Without tier 1 there are only a few such places, and nothing is kept.
 *
 *   none ──dump──▶ known ──what is new──▶ known
 *     ▲              │
 *     └──────────────┘ another epoch, or longer away than the store remembers
 */
export function createSpentMirror(deps: { store: Pick<QueueStore, 'marks' | 'dump'>; logger: Logger }): SpentMirror {
  const { store, logger } = deps;
  const known = new Map<string, Mirrored>();

  /** The bitmaps are read after the position from which the marks go on; whatever is set twice is set all the same. */
  async function load(eventId: string): Promise<Mirrored | null> {
    const dump = await store.dump({ eventId });
    if (dump.status === 'lost') return null;
    return { epoch: dump.epoch, marks: createSpentMarks(dump.spent), from: dump.from };
  }

  async function readOn(eventId: string, mirrored: Mirrored): Promise<boolean> {
    const { epoch, marks } = mirrored;
    for (let reads = 0; reads < readsMax; reads++) {
      const news = await store.marks({ eventId, epoch, from: mirrored.from });
      if (news.status !== 'ok') return false;
      for (const { order, isSpent } of news.marks) {
        if (isSpent) marks.set(order);
        else marks.unset(order);
      }
      mirrored.from = news.upTo;
      if (!news.more) return true;
    }
    return false;
  }

  async function follow(eventId: string, epoch: number): Promise<KnownSpent | null> {
    const before = known.get(eventId);
    if (before?.epoch === epoch && (await readOn(eventId, before))) return before.marks;
    const loaded = await load(eventId);
    if (loaded?.epoch !== epoch || !(await readOn(eventId, loaded))) {
      known.delete(eventId);
      return null;
    }
    known.set(eventId, loaded);
    return loaded.marks;
  }

  return {
    async follow(eventId, { epoch, room }) {
      if (room.era === 0) return null;
      try {
        return await follow(eventId, epoch);
      } catch (error) {
        logger.warn({ err: error, eventId }, 'which places are over could not be read; polls ask the store');
        known.delete(eventId);
        return null;
      }
    },
    forget: (eventId) => void known.delete(eventId),
  };
}
