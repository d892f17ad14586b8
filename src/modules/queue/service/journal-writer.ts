import type { Logger } from '#platform/telemetry/logger.ts';
import type { ChangesResult, QueueJournal, QueueStore } from '../ports.ts';
import type { RecoverableEventStates } from './event-states.ts';
import { lateChanges } from './recent-changes.ts';

/** The journal cannot be written: nobody may be admitted. */
export class JournalAway extends Error {
  override readonly name = 'JournalAway';
}

export interface JournalWriter {
  /**
   * Brings everything that changed in the store to the journal. A batch may be read twice and written twice (a process died
   * before it said so); position and epoch let it through once.
   */
  drain(eventId: string, crowd: number | null): Promise<void>;
}

const batchSize = 2_000;
/** What is left after that waits for the next tick: a queue of a million that is cleared takes some minutes. */
const batchesMax = 20;

export function createJournalWriter(deps: {
  store: QueueStore;
  journal: QueueJournal;
  states: RecoverableEventStates;
  logger: Logger;
}): JournalWriter {
  const { store, journal, states } = deps;
  const crowds = new Map<string, number>();

  async function write(eventId: string, read: ChangesResult, crowd: number | null): Promise<void> {
    const outcome = await journal.write(eventId, { ...read, crowd }).catch((error: unknown) => {
      throw new JournalAway(`the journal of event ${eventId} cannot be written`, { cause: error });
    });
    if (outcome === 'stale') states.addLate(eventId, read.epoch, lateChanges(read.changes));
    else await store.acknowledge({ eventId, epoch: read.epoch, upTo: read.from + read.changes.length });
  }

  return {
    async drain(eventId, crowd) {
      for (let batch = 0; ; batch++) {
        const read = await states.withState(eventId, () => store.changes({ eventId, limit: batchSize }));
        const nothing = read.changes.length === 0 && (crowd === null || crowds.get(eventId) === crowd);
        if (!nothing) {
          await write(eventId, read, crowd);
          if (crowd !== null) crowds.set(eventId, crowd);
        }
        if (read.backlog <= read.changes.length || batch + 1 >= batchesMax) return;
      }
    },
  };
}
