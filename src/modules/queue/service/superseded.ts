import { type LateChange, mergeMax, type QueueJournal, type QueueStore } from '../ports.ts';
import { lateChanges } from './recent-changes.ts';

/**
 * The server that this process is connected to kept the event once, and another one keeps it now and serves: a replica was
 * promoted, and nobody told this server or this process. Whatever it says of the event is of the past.
 */
export class StoreSuperseded extends Error {
  override readonly name = 'StoreSuperseded';
  /** The epoch that the journal has. What this server has is older. */
  readonly epoch: number;

  constructor(eventId: string, epoch: number) {
    super(`event ${eventId} is kept by another server, in epoch ${epoch}`);
    this.epoch = epoch;
  }
}

/** The one behind a fault, or null. */
export function supersededBehind(error: unknown): StoreSuperseded | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof StoreSuperseded) return cause;
  }
  return null;
}

/**
 * What a superseded server knows alone, and how the present one learns it:
 *
 *   superseded: nobody is admitted ─▶ its changes go to PostgreSQL ─▶ acknowledged there
 *   present:    reads them with its next look ─▶ merges them, while recovering ─▶ forgets them in PostgreSQL
 *
 * A process that dies between any two leaves them where they are, and the next look finds them. Merging twice is harmless.
 */
export interface LastWords {
  bring(eventId: string, superseded: StoreSuperseded): Promise<void>;
  merge(eventId: string, epoch: number): Promise<void>;
}

const batchSize = 2_000;
const batchesMax = 20;
/** Longer than the pause between two looks. */
const holdMs = 8_000;

export function createLastWords({ store, journal }: { store: QueueStore; journal: QueueJournal }): LastWords {
  return {
    async bring(eventId, superseded) {
      for (let batch = 0; batch < batchesMax; batch++) {
        const read = await store.changes({ eventId, limit: batchSize });
        // Of the present epoch: the connection leads to another server by now, whose changes go the usual way.
        if (read.status === 'lost' || read.epoch >= superseded.epoch) return;
        await store.hold({ eventId, forMs: holdMs });
        if (read.changes.length === 0) return;
        await keepForLater({ store, journal }, eventId, read);
      }
    },

    async merge(eventId, epoch) {
      for (let batch = 0; batch < batchesMax; batch++) {
        const late = await journal.readLate(eventId, mergeMax);
        if (late.length === 0) return;
        const answer = await store.merge({ eventId, epoch, changes: late.map(({ change }) => change) });
        if (!('merged' in answer && answer.merged)) return;
        await journal.forgetLate(late.map(({ id }) => id));
      }
    },
  };
}

/** Changes of an epoch that is over: from where they were read to PostgreSQL, for the present epoch. */
export async function keepForLater(
  { store, journal }: { store: QueueStore; journal: QueueJournal },
  eventId: string,
  read: Exclude<Awaited<ReturnType<QueueStore['changes']>>, { status: 'lost' }>,
): Promise<LateChange[]> {
  const late = lateChanges(read.changes);
  await journal.noteLate(eventId, late);
  await store.acknowledge({ eventId, epoch: read.epoch, upTo: read.from + read.changes.length });
  return late;
}
