import type { Logger } from '#platform/telemetry/logger.ts';
import type { ChangesResult, QueueJournal, QueueStore, Slot } from '../ports.ts';
import type { RecoverableEventStates } from './event-states.ts';
import { lateSlots } from './recent-slots.ts';

/** The journal cannot be written: nobody may be admitted. */
export class JournalAway extends Error {
  override readonly name = 'JournalAway';
}

export interface JournalWriter {
  /**
   * Brings everything that changed in the store to the journal, and answers the epoch of it. A batch may be read twice
   * and written twice (a process died before it said so); position and epoch let it through once.
   */
  drain(eventId: string, crowd: number | null): Promise<number>;
  /** These were just admitted in this epoch: if the store loses them before `drain` has them, they are written from here. */
  keepInHand(eventId: string, admitted: { epoch: number; slots: readonly Slot[] }): void;
}

const batchSize = 2_000;
/** What is left after that waits for the next tick: a queue of a million that is cleared takes some minutes. */
const batchesMax = 20;
const eventsInHandMax = 1_000;

export function createJournalWriter(deps: {
  store: QueueStore;
  journal: QueueJournal;
  states: RecoverableEventStates;
  logger: Logger;
}): JournalWriter {
  const { store, journal, states } = deps;
  const inHand = new Map<string, { epoch: number; slots: readonly Slot[] }>();
  const crowds = new Map<string, number>();

  async function write(eventId: string, read: ChangesResult, crowd: number | null): Promise<void> {
    const outcome = await journal.write(eventId, { ...read, crowd }).catch((error: unknown) => {
      throw new JournalAway(`the journal of event ${eventId} cannot be written`, { cause: error });
    });
    if (outcome === 'stale') await states.salvage(eventId, read);
    else await store.acknowledge({ eventId, epoch: read.epoch, upTo: read.from + read.changes.length });
  }

  /** After a change of the epoch nobody else may know of the slots that were admitted in the old one. */
  async function settle(eventId: string, { epoch, drained }: { epoch: number; drained: boolean }): Promise<void> {
    const held = inHand.get(eventId);
    if (held === undefined) return;
    if (held.epoch < epoch) {
      // Of a claim since then whoever answered it knows; the journal keeps it, in whichever order the two arrive.
      const slots = held.slots.map((slot) => ({ ...slot, claimed: false }));
      await states.salvage(eventId, lateSlots(held.epoch, slots));
    } else if (!drained) return;
    inHand.delete(eventId);
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
        const drained = read.backlog <= read.changes.length;
        await settle(eventId, { epoch: read.epoch, drained });
        if (drained || batch + 1 >= batchesMax) return read.epoch;
      }
    },

    keepInHand(eventId, { epoch, slots }) {
      if (slots.length === 0) return;
      const held = inHand.get(eventId);
      const [oldest] = inHand.keys();
      if (held === undefined && inHand.size >= eventsInHandMax && oldest !== undefined) inHand.delete(oldest);
      inHand.set(eventId, { epoch, slots: held?.epoch === epoch ? [...held.slots, ...slots] : slots });
    },
  };
}
