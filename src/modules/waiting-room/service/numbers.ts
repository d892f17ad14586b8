import { createBatcher } from '#platform/concurrency/batcher.ts';
import { isFault, platformErrors } from '#platform/errors.ts';
import type { Database } from '#platform/postgres/database.ts';
import { boundLead } from '../domain/room.ts';
import type { Assigned, Counters, NotThis } from '../ports.ts';
import { raiseBound } from '../storage/rooms.ts';
import type { Epochs } from './epochs.ts';
import type { KnownRoom, Rooms } from './rooms.ts';

export interface GivenNumber {
  readonly era: number;
  readonly number: number;
}

export interface Numbers {
  /** The next number; null: the room is off. */
  next(eventId: string): Promise<GivenNumber | null>;
  /** Raises the durable bound, so that so many more numbers may be given. */
  raise(room: KnownRoom, lead: number): Promise<void>;
  stop(): Promise<void>;
}

/** What one step gives at most; numbers cost the same in any amount. */
const batchLimits = { batchMax: 4_096, batchesMax: 4, callsMax: 50_000, waitMaxMs: 5_000 };
const roundsMax = 20;

/** Numbers, sent for in batches: a round trip costs more than a number. */
export function createNumbers(deps: { database: Database; counters: Counters; rooms: Rooms; epochs: Epochs }): Numbers {
  const { database, counters, rooms, epochs } = deps;
  const raising = new Map<string, Promise<void>>();

  /** PostgreSQL first: whatever becomes of the counters, no later epoch gives numbers up to here. */
  async function raiseFirst({ eventId, epoch, givenSeen }: KnownRoom, lead: number): Promise<void> {
    const bound = await raiseBound(database, { eventId, epoch, bound: givenSeen + lead });
    if (bound === null) return;
    await counters.raiseBound({ eventId, epoch, bound });
    rooms.saw(eventId, epoch, { bound });
  }

  function raise(room: KnownRoom, lead: number): Promise<void> {
    const running = raising.get(room.eventId);
    if (running !== undefined) return running;
    const started = raiseFirst(room, lead).finally(() => raising.delete(room.eventId));
    raising.set(room.eventId, started);
    return started;
  }

  async function run(eventId: string, calls: readonly unknown[]): Promise<(GivenNumber | null)[]> {
    const given: GivenNumber[] = [];
    for (let round = 0; round < roundsMax; round++) {
      let asked: KnownRoom | null = null;
      const answer = await epochs.withCounters<Assigned | NotThis>(eventId, (room) => {
        asked = room;
        return counters.assign({ eventId, epoch: room.epoch, count: calls.length - given.length });
      });
      if (answer.status === 'off') return calls.map((_, n) => given[n] ?? null);
      // Set by the call that was answered.
      const { era, epoch } = asked as unknown as KnownRoom;
      const { first, granted } = answer;
      for (let n = 0; n < granted; n++) given.push({ era, number: first + n });
      rooms.saw(eventId, epoch, { given: first + granted - 1 });
      if (given.length === calls.length) return given;
      // A rush that came faster than the bound was raised.
      const room = rooms.get(eventId);
      if (room !== null) await raise(room, 2 * boundLead(calls.length));
    }
    throw platformErrors.fault('STORE_UNAVAILABLE', { detail: 'Numbers are given faster than they can be kept.' });
  }

  const batches = createBatcher<null, GivenNumber | null>({
    limits: batchLimits,
    run,
    overloaded: () => platformErrors.fault('STORE_UNAVAILABLE'),
    isOutage: (fault) => isFault(fault, 'STORE_UNAVAILABLE') || isFault(fault, 'DATABASE_UNAVAILABLE'),
  });

  return { next: (eventId) => batches.call(eventId, null), raise, stop: () => batches.stop() };
}
