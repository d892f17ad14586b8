import type { Logger } from '#platform/telemetry/logger.ts';
import type { ChangesResult, QueueJournal, QueueStore } from '../ports.ts';
import type { RecoverableEventStates } from './event-states.ts';
import { keepForLater } from './superseded.ts';

/** This process cannot write the journal: it may admit nobody. */
export class JournalAway extends Error {
  override readonly name = 'JournalAway';
  /** What it could not write. */
  readonly unwritten: Unwritten;

  constructor(eventId: string, unwritten: Unwritten, cause: unknown) {
    super(`the journal of event ${eventId} cannot be written`, { cause });
    this.unwritten = unwritten;
  }
}

/** The epoch of the store that this process writes from is over: it may admit nobody there. */
export class JournalStale extends Error {
  override readonly name = 'JournalStale';

  constructor(eventId: string, epoch: number) {
    super(`the journal of event ${eventId} has a later epoch than ${epoch}`);
  }
}

/** The journal has less than the store had acknowledged: it went back, as after a restore. */
export class JournalBehind extends Error {
  override readonly name = 'JournalBehind';

  constructor(eventId: string, epoch: number) {
    super(`the journal of event ${eventId} is older than the store in epoch ${epoch}`);
  }
}

/** The store had changes that it does not have any more: it went back, as a machine restored from a snapshot. */
export class StoreBehind extends Error {
  override readonly name = 'StoreBehind';
  readonly epoch: number;

  constructor(eventId: string, epoch: number) {
    super(`the store of event ${eventId} is older than the journal in epoch ${epoch}`);
    this.epoch = epoch;
  }
}

/** Where the changes stand that no process had written. */
export interface Unwritten extends Pick<ChangesResult, 'epoch' | 'from'> {
  readonly count: number;
}

export interface JournalWriter {
  /**
   * Brings everything that changed in the store to the journal. A batch may be read twice and written twice (a process died
   * before it said so); position and epoch let it through once. `JournalStale`: they were kept for the present epoch. `JournalBehind`, `StoreBehind`: nothing was written.
   */
  drain(eventId: string, crowd: number | null): Promise<void>;
  /** The same, and writes also if nothing has changed: afterwards it is known that the journal can be written. */
  prove(eventId: string): Promise<void>;
  /** What no process has written yet. */
  unwritten(eventId: string): Promise<Unwritten>;
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

  const read = (eventId: string, limit: number) => states.withState(eventId, () => store.changes({ eventId, limit }));

  async function write(eventId: string, changes: ChangesResult, crowd: number | null): Promise<void> {
    const away = (error: unknown) => {
      throw new JournalAway(eventId, unwrittenOf(changes), error);
    };
    const outcome = await journal.write(eventId, { ...changes, crowd }).catch(away);
    const { epoch, from } = changes;
    if (outcome === 'stale') {
      const late = await keepForLater({ store, journal }, eventId, changes).catch(away);
      // The present epoch may be here already; then there is no need to wait until somebody has read them.
      states.addLate(eventId, epoch, late);
      throw new JournalStale(eventId, epoch);
    }
    if (outcome === 'behind') throw new JournalBehind(eventId, epoch);
    if (typeof outcome === 'object' && (await wentBack(eventId, epoch, outcome.position)))
      throw new StoreBehind(eventId, epoch);
    await store.acknowledge({ eventId, epoch, upTo: from + changes.changes.length });
  }

  /** Read again, after the journal had this position: what another process wrote in between is there now. */
  async function wentBack(eventId: string, epoch: number, position: number): Promise<boolean> {
    const now = await read(eventId, 0);
    return now.epoch === epoch && now.from + now.backlog < position;
  }

  async function drain(eventId: string, crowd: number | null, isProof: boolean): Promise<void> {
    for (let batch = 0; ; batch++) {
      const some = await read(eventId, batchSize);
      const nothing = some.changes.length === 0 && (crowd === null || crowds.get(eventId) === crowd);
      if (!nothing || isProof) {
        await write(eventId, some, crowd);
        if (crowd !== null) crowds.set(eventId, crowd);
      }
      if (some.backlog <= some.changes.length || batch + 1 >= batchesMax) return;
    }
  }

  return {
    drain: (eventId, crowd) => drain(eventId, crowd, false),
    prove: (eventId) => drain(eventId, null, true),
    unwritten: async (eventId) => unwrittenOf(await read(eventId, 0)),
  };
}

function unwrittenOf({ epoch, from, backlog }: ChangesResult): Unwritten {
  return { epoch, from, count: backlog };
}
