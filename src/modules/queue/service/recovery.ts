import { setTimeout as delay } from 'node:timers/promises';
import { assert } from '#platform/assert.ts';
import type { Clock } from '#platform/clock.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import type { JournalHead, KnownEvents, QueueConfig, QueueJournal, QueueStore, StoreSnapshot } from '../ports.ts';
import { settingsInForce } from './settings.ts';
import { StoreSuperseded } from './superseded.ts';

export interface RecoveryDeps {
  readonly store: QueueStore;
  readonly journal: QueueJournal;
  readonly known: KnownEvents;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly config: Pick<QueueConfig, 'threshold' | 'recoveringMs'>;
  readonly observe?: RecoveryObserver;
}

/** For metrics. */
export interface RecoveryObserver {
  lost(): void;
  broughtBack(): void;
}

export interface Recovery {
  /** Afterwards the store has the event's state, of the journal's epoch and on the server where it was begun. Answers the epoch. */
  recover(eventId: string): Promise<number>;
  /** The same, if something may be missing. An event that was taken out of the store after its sale stays out: null. */
  mend(eventId: string): Promise<number | null>;
  /** The journal has less than the store: it takes over what the store has. */
  catchUp(eventId: string): Promise<void>;
  /** The store has less than the journal in this epoch: the next one is begun from the journal. Null: it is over already. */
  replace(eventId: string, epoch: number): Promise<number | null>;
}

/** Less than the lease, so that a process that was stopped in between does not begin an epoch that another gave up on. */
const beginWithinMs = 4_000;
const leaseLookMs = 50;
/** Longer than the lease of a winner that died. */
const leaseLooksMax = 200;

/**
 * How an event comes back. Any number of processes may notice at once:
 *
 *   read the head ─▶ probe the store ─▶ sound: done
 *                        │
 *                        ├─ later than the head, which went back: the journal catches up
 *                        ├─ somebody holds the lease: wait, read again
 *                        ├─ the journal names a server that took over from this one, and serves: nothing may be begun here
 *                        └─ prove that the server takes writes ─▶ raise the epoch (one wins) ─▶ load the journal ─▶ begin ─▶ mark begun
 *
 * For anyone who only suspects a loss, `null` is an answer: not begun, not leased and not in the store is where an event is that
 * was taken out, and then nothing is missing. If it is one whose beginner failed, the next call that needs it begins it.
 *
 * The head is read before the probe: if its epoch was begun and the probe finds nothing, then that epoch is lost. In the
 * other order a process could overwrite what the winner began between its two looks.
 */
export function createRecovery(deps: RecoveryDeps): Recovery {
  const { store, journal, logger, config } = deps;

  async function begin(eventId: string, head: JournalHead, recoveringMs: number): Promise<boolean> {
    const wonAt = performance.now();
    try {
      // Before begin: a server that changes in between is then noticed as another one.
      const identity = await store.identity(eventId);
      const { settings, ...loaded } = await journal.load(eventId);
      const inForce = await settingsInForce(deps, eventId, settings);
      if (performance.now() - wonAt > beginWithinMs) throw new Error('the lease is nearly over');
      const { begun } = await store.begin({
        ...loaded,
        eventId,
        epoch: head.epoch,
        settings: inForce,
        recoveringMs,
      });
      if (!begun) return false;
      await journal.markBegun(eventId, { epoch: head.epoch, identity });
      const { epoch, era } = head;
      logger.info({ eventId, epoch, era, slots: loaded.slots.length, recoveringMs }, 'a queue is in the store');
      return true;
    } catch (error) {
      // Losing this only makes the others wait for the lease to run out.
      await journal.giveUpLease(eventId, head.epoch).catch(() => undefined);
      throw error;
    }
  }

  async function raiseAndBegin(eventId: string, seen: JournalHead): Promise<boolean> {
    // Who raises the epoch and cannot begin it takes the event away from those who have it: before, not after.
    await store.proveWritable(eventId);
    const head = await journal.raiseEpoch(eventId, seen.epoch);
    if (head === null) return false;
    const { epoch, era, crowd } = head;
    if (!seen.begun) {
      logger.warn(
        { eventId, epoch, era, crowd },
        'a queue that was taken out of the store, or not begun in time, is brought there',
      );
      return begin(eventId, head, config.recoveringMs);
    }
    logger.error({ eventId, epoch, era, crowd }, 'the state of a queue was lost; bringing it back');
    deps.observe?.lost();
    const begun = await begin(eventId, head, config.recoveringMs);
    if (begun) deps.observe?.broughtBack();
    return begun;
  }

  /** To another server while the former one still serves, as by resharding: then nothing is missing. */
  async function wasMoved({ identity: former }: JournalHead, identity: string): Promise<boolean> {
    return former !== null && former !== identity && (await store.servers()).has(former);
  }

  /** The store cannot be ahead of the journal, which is raised first, unless that went back. Read after the probe. */
  async function isOlderThan(eventId: string, epoch: number): Promise<boolean> {
    return (await journal.open(eventId)).epoch < epoch;
  }

  /** The journal went back, as after the restore of a backup. What the store has is the truth, and the journal takes it over. */
  async function catchUp(eventId: string): Promise<number | false> {
    const identity = await store.identity(eventId);
    const dump = await store.dump({ eventId });
    if (dump.status === 'lost') return false;
    const { epoch, from, slots } = dump;
    logger.error(
      { eventId, epoch, from, slots: slots.length },
      'the journal is older than the store, as after a restore: it takes over what the store has',
    );
    return (await journal.adopt(eventId, dump, identity)) === 'adopted' ? epoch : false;
  }

  /** One look at both; false: look again. */
  async function attempt(eventId: string, mayStayOut: boolean): Promise<number | null | false> {
    // A read replica keeps nothing: it fails here, before the journal has a row or a lease of it.
    await store.identity(eventId);
    const head = await journal.open(eventId);
    // The first one to enter an event that never had a queue: nothing was lost, nobody has to come back.
    if (head.mine && (await begin(eventId, head, 0))) return head.epoch;
    const identity = await store.identity(eventId);
    const probe = await store.snapshot({ eventId });
    const moved = await wasMoved(head, identity);
    const isIdle = !head.begun && !head.leased;
    if (probe.status === 'ok' && probe.epoch > head.epoch && (await isOlderThan(eventId, probe.epoch)))
      return catchUp(eventId);
    if (probe.status === 'ok' && isSound({ head, identity: moved ? head.identity : identity, probe })) {
      // Its beginner died before it could say so, or its home is another one now.
      if (moved || isIdle || head.mine) await journal.markBegun(eventId, { epoch: head.epoch, identity });
      return probe.epoch;
    }
    if (mayStayOut && isIdle && probe.status === 'lost') return null;
    if (isSuperseded(head, identity)) throw new StoreSuperseded(eventId, head.epoch);
    if (head.leased) await delay(leaseLookMs);
    else if (await raiseAndBegin(eventId, head)) return head.epoch + 1;
    return false;
  }

  async function mend(eventId: string, mayStayOut: boolean): Promise<number | null> {
    for (let look = 0; look < leaseLooksMax; look++) {
      const epoch = await attempt(eventId, mayStayOut);
      if (epoch !== false) return epoch;
    }
    throw new Error(`no process brought event ${eventId} back in time`);
  }

  return {
    async recover(eventId) {
      const epoch = await mend(eventId, false);
      assert(epoch !== null, `event ${eventId} was left out of the store`);
      return epoch;
    },
    mend: (eventId) => mend(eventId, true),
    catchUp: async (eventId) => void (await catchUp(eventId)),
    async replace(eventId, epoch) {
      const head = await journal.open(eventId);
      if (head.epoch !== epoch || !head.begun) return null;
      logger.error(
        { eventId, epoch },
        'the store went back, as by a snapshot of its machine: it gets what the journal has',
      );
      return (await raiseAndBegin(eventId, head)) ? epoch + 1 : null;
    },
  };
}

/** This server kept the event before the one that keeps it now, which was heard of in the last seconds. */
function isSuperseded({ begun, identity: present, superseded, served }: JournalHead, identity: string): boolean {
  return begun && served && present !== identity && superseded.includes(identity);
}

/** An older epoch or another server is a copy that may have missed something. */
function isSound({ head, identity, probe }: { head: JournalHead; identity: string | null; probe: StoreSnapshot }) {
  return probe.epoch >= head.epoch && (head.identity === null || head.identity === identity);
}
