import { createBatcher } from '#platform/concurrency/batcher.ts';
import { isFault, platformErrors } from '#platform/errors.ts';
import type { Database } from '#platform/postgres/database.ts';
import { stageOf } from '../domain/draw.ts';
import { boundLead, presentDraw } from '../domain/room.ts';
import type { Assigned, Counters, NotThis } from '../ports.ts';
import { raiseBound } from '../storage/rooms.ts';
import type { Epochs } from './epochs.ts';
import type { KnownRoom, Rooms } from './rooms.ts';

interface GivenNumber {
  readonly era: number;
  readonly number: number;
}

type Given = GivenNumber | 'off' | 'used-proof';

interface Call {
  readonly proof: string | null;
}

export interface Numbers {
  /** The next number; `off`, too, while a draw takes entries. `proof`: the name of the proof of work that came with the wish, if one was asked for. */
  next(eventId: string, proof: string | null): Promise<Given>;
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

  async function run(eventId: string, calls: readonly Call[]): Promise<Given[]> {
    const results: Given[] = [];
    for (let round = 0; round < roundsMax; round++) {
      const left = calls.slice(results.length);
      const proofs = left.some(({ proof }) => proof !== null) ? left.map(({ proof }) => proof ?? '') : [];
      let asked: KnownRoom | null = null;
      const answer = await epochs.withCounters<Assigned | NotThis | { readonly status: 'off' }>(eventId, (room) => {
        asked = room;
        if (isBeforeDraw(room)) return Promise.resolve({ status: 'off' as const });
        return counters.assign({ eventId, epoch: room.epoch, count: left.length, proofs });
      });
      if (answer.status === 'off') return [...results, ...left.map(() => 'off' as const)];
      // Set by the call that was answered.
      const { era, epoch } = asked as unknown as KnownRoom;
      const { first, granted, refused } = answer;
      const used = new Set(refused);
      let number = first;
      for (let place = 0; place < granted + used.size; place++)
        results.push(used.has(place) ? 'used-proof' : { era, number: number++ });
      rooms.saw(eventId, epoch, { given: first + granted - 1 });
      if (results.length === calls.length) return results;
      // A rush that came faster than the bound was raised.
      const room = rooms.get(eventId);
      if (room !== null) await raise(room, 2 * boundLead(calls.length));
    }
    throw platformErrors.fault('STORE_UNAVAILABLE', { detail: 'Numbers are given faster than they can be kept.' });
  }

  const batches = createBatcher<Call, Given>({
    limits: batchLimits,
    run,
    overloaded: () => platformErrors.fault('STORE_UNAVAILABLE'),
    isOutage: (fault) => isFault(fault, 'STORE_UNAVAILABLE') || isFault(fault, 'DATABASE_UNAVAILABLE'),
  });

  return { next: (eventId, proof) => batches.call(eventId, { proof }), raise, stop: () => batches.stop() };
}

/** The numbers of such an era are the draw's to give; only those who come after its freeze get one at once. */
export function isBeforeDraw(room: KnownRoom): boolean {
  const draw = presentDraw(room);
  return draw !== null && ['entering', 'void'].includes(stageOf(draw));
}
