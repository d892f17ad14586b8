import { inParallel } from '#platform/concurrency/in-parallel.ts';
import { platformErrors } from '#platform/errors.ts';
import type { ReadinessCheck } from '#platform/module.ts';
import { withTimeout } from '#platform/resilience/timeout.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import {
  type EventStates,
  type Fence,
  type Lost,
  type QueueJournal,
  type QueueStore,
  type Slot,
  StoreIsReplica,
} from '../ports.ts';
import { whileCallerWaits } from './event-states.ts';
import { createHomes, type Homes } from './homes.ts';
import { createLastWords, supersededBehind } from './superseded.ts';

/**
 * Notices when an event is on another server than before: after a restart, or a fail-over to a copy that may have missed
 * the last changes. Such an event is checked against the journal, which knows where it was begun; the others are not.
 *
 * The server of an event cannot become another one on the same connection. So an answer counts if it came by the connection
 * by which the event was found sound. Otherwise the server is asked who it is first, and what a stale copy said is
 * forgotten with that copy.
 *
 * The server may also be superseded and live on. So the journal is asked each second whether it still names this one, and
 * slots are given only for some seconds after it has (`homes.ts`).
 */
export interface ServerWatch {
  /** The call, fenced: `lost` if it may have been answered by a stale copy, which has been replaced by then. */
  fenced<Result>(
    eventId: string,
    call: (fence: Fence) => Promise<Result | Lost>,
  ): (fence: Fence) => Promise<Result | Lost>;
  /** `Fence.mayGrant` of this event. */
  mayGrant(eventId: string): Promise<boolean>;
  /**
   * These slots have just been given. The lease must cover the whole call: the process may have stood still in it while
   * another server took the event over. STORE_UNAVAILABLE if it did not; then nobody is told of them here until the journal
   * says that this server keeps the event. If it keeps it, they are found by the next call.
   */
  mustCover(eventId: string, given: readonly Pick<Slot, 'slotId'>[]): Promise<void>;
  /** The journal would not take what this server has of the event: it is checked now. Fails if it was superseded. */
  recheck(eventId: string): Promise<void>;
  /**
   * Looks at every server once, for events that nobody asks for, and for a proxy that keeps connections over a fail-over.
   * The answer says of an event whether it is sound where it is now; until then nobody may be admitted to it.
   */
  look(eventIds: Iterable<string>): Promise<(eventId: string) => boolean>;
  /** The events that this process has dealt with, the latest ten thousand. */
  events(): string[];
  /** Those of which this process is connected to a superseded server. */
  superseded(): ReadonlySet<string>;
  /** This process is connected to a read replica. */
  isOnReplica(): boolean;
}

const checksAtOnce = 4;
/** The events of one server must not wait for those of another; what takes longer goes on, and the next look finds it done. */
const checksWaitMs = 1_000;
/** Between two checks of an event on a superseded server: callers are refused meanwhile. */
const supersededLookMs = 500;
/** Between two tries to be led to the present server by a new connection. */
const reconnectEveryMs = 5_000;
/** Slots given without a lease that are remembered, of all events. Only calls under way when it ends can give some. */
const untoldMax = 10_000;

export function createServerWatch(deps: {
  store: QueueStore;
  journal: QueueJournal;
  states: Pick<EventStates, 'suspectLoss'>;
  logger: Logger;
}): ServerWatch {
  const { store, states, logger } = deps;
  const homes: Homes = createHomes(deps);
  const lastWords = createLastWords(deps);
  const underWay = new Map<string, Promise<'same' | 'another'>>();
  const refusals = new Map<string, { readonly untilMs: number; readonly error: unknown }>();
  const superseded = new Set<string>();
  const untold = new Set<string>();
  let reconnectedAtMs = Number.NEGATIVE_INFINITY;
  let isOnReplica = false;

  /** Asks the journal, and recovers the event if it names another server that is gone. */
  async function check(eventId: string): Promise<void> {
    try {
      await states.suspectLoss(eventId);
    } catch (error) {
      homes.delete(eventId);
      await noteSuperseded(eventId, error);
      throw error;
    }
    refusals.delete(eventId);
    if (superseded.delete(eventId)) logger.warn({ eventId }, 'a queue is on its present server again');
  }

  async function noteSuperseded(eventId: string, error: unknown): Promise<void> {
    const behind = supersededBehind(error);
    if (behind === null) return;
    refusals.set(eventId, { untilMs: performance.now() + supersededLookMs, error });
    if (!superseded.has(eventId)) {
      superseded.add(eventId);
      logger.error({ err: behind, eventId }, 'this process is on a superseded server: it answers nobody there');
    }
    await lastWords.bring(eventId, behind).catch((cause: unknown) => {
      logger.warn(
        { err: cause, eventId },
        'what a superseded server knows alone could not be brought to the journal yet',
      );
    });
    connectAnew();
  }

  function connectAnew(): void {
    if (performance.now() - reconnectedAtMs < reconnectEveryMs) return;
    reconnectedAtMs = performance.now();
    store.reconnect();
  }

  /** Asks a server who it is. One that takes no writes is no home: nobody is answered there. */
  async function askServer<Answer>(question: () => Promise<Answer>): Promise<Answer> {
    try {
      const answer = await question();
      if (isOnReplica) logger.warn('this process is connected to a primary again');
      isOnReplica = false;
      return answer;
    } catch (error) {
      if (error instanceof StoreIsReplica) {
        if (!isOnReplica) {
          logger.error({ err: error }, 'this process is connected to a read replica: it answers nobody there');
        }
        isOnReplica = true;
        connectAnew();
      }
      throw error;
    }
  }

  async function settle(eventId: string): Promise<'same' | 'another'> {
    const refused = refusals.get(eventId);
    if (refused !== undefined && performance.now() < refused.untilMs) throw refused.error;
    const sinceMs = performance.now();
    const connection = store.connection(eventId);
    const identity = await askServer(() => store.identity(eventId));
    const former = homes.get(eventId);
    if (former?.identity !== identity) {
      if (former !== undefined) logger.warn({ eventId }, 'a queue is on another server than before');
      await check(eventId);
    }
    const isSame = former?.identity === identity;
    homes.set(eventId, { identity, connection, leaseFromMs: isSame ? former.leaseFromMs : sinceMs });
    return isSame ? 'same' : 'another';
  }

  function settleOnce(eventId: string, settling = settle): Promise<'same' | 'another'> {
    const running = underWay.get(eventId);
    if (running !== undefined) return running;
    const started = settling(eventId).finally(() => underWay.delete(eventId));
    underWay.set(eventId, started);
    return started;
  }

  /** As `settle`, and asks the journal even if the server is the same. */
  async function settleAnew(eventId: string): Promise<'same' | 'another'> {
    const home = homes.get(eventId);
    if (home === undefined) return settle(eventId);
    const sinceMs = performance.now();
    homes.set(eventId, { ...home, leaseFromMs: Number.NEGATIVE_INFINITY });
    await check(eventId);
    homes.set(eventId, { ...home, leaseFromMs: sinceMs });
    return 'same';
  }

  const checking = (eventId: string, settling: typeof settle) =>
    settleOnce(eventId, settling).catch((error: unknown) =>
      logger.warn({ err: error, eventId }, 'a queue could not be checked; nobody is admitted to it until it is'),
    );

  async function mustCover(eventId: string, given: readonly Pick<Slot, 'slotId'>[]): Promise<void> {
    // Before the journal is asked: another call may find the slot meanwhile.
    for (const { slotId } of given) untold.add(slotId);
    for (const oldest of untold) {
      if (untold.size <= untoldMax) break;
      untold.delete(oldest);
    }
    if (await homes.mayGrant(eventId)) for (const { slotId } of given) untold.delete(slotId);
    // Without a home the journal named another server, which the next check deals with.
    else if (homes.has(eventId)) {
      throw platformErrors.fault('STORE_UNAVAILABLE', { detail: 'It is not known yet whether the slot counts.' });
    }
  }

  async function mergeLate(late: ReadonlyMap<string, number>): Promise<void> {
    for (const [eventId, epoch] of late) {
      await lastWords.merge(eventId, epoch).catch((error: unknown) => {
        logger.warn({ err: error, eventId }, 'what a superseded server knew alone could not be merged yet');
      });
    }
  }

  return {
    fenced: (eventId, call) => async () => {
      if (!homes.has(eventId)) await whileCallerWaits(settleOnce(eventId));
      let grants = false;
      const mayGrant = async () => {
        grants = await homes.mayGrant(eventId);
        return grants;
      };
      const result = await call({ mayGrant });
      const slot = toldSlot(result);
      if (slot !== null && ((grants && slot.fresh) || untold.has(slot.slotId))) await mustCover(eventId, [slot]);
      // It may have been on its way for longer than the journal's word lasts.
      else if (grants) await homes.mayGrant(eventId);
      if (homes.get(eventId)?.connection === store.connection(eventId)) return result;
      return (await whileCallerWaits(settleOnce(eventId))) === 'same' ? result : { status: 'lost' };
    },

    mayGrant: homes.mayGrant,
    mustCover,
    recheck: async (eventId) => void (await whileCallerWaits(settleOnce(eventId, settleAnew))),

    async look(eventIds) {
      // Those of a superseded server too: nobody may ask for them any more, and they are counted until they are sound.
      const asked = new Set([...eventIds, ...superseded]);
      const servers = await askServer(store.servers).catch((error: unknown) => {
        if (error instanceof StoreIsReplica) return null;
        throw error;
      });
      if (servers === null) return () => false;
      const { elsewhere, late } = await homes.confirm([...asked], servers.all());
      const isSound = (eventId: string) => homes.get(eventId)?.identity === servers.of(eventId);
      const suspects = [...new Set([...homes.ids(), ...asked])].filter(
        (eventId) => servers.of(eventId) !== null && !isSound(eventId),
      );
      const checks = inParallel([...new Set([...elsewhere, ...suspects])], checksAtOnce, async (eventId) => {
        await checking(eventId, elsewhere.includes(eventId) ? settleAnew : settle);
      });
      await withTimeout(checks, checksWaitMs, () => new Error('the checks take longer')).catch(() => undefined);
      await mergeLate(late);
      return isSound;
    },

    events: () => homes.ids(),
    superseded: () => superseded,
    isOnReplica: () => isOnReplica,
  };
}

/** The slot of which an answer of `enter` or `trace` tells, and whether this call gave it. */
function toldSlot(result: unknown): { slotId: string; fresh: boolean } | null {
  if (typeof result !== 'object' || result === null || !('status' in result && 'slot' in result)) return null;
  const { slot } = result;
  if (typeof slot !== 'object' || slot === null || !('slotId' in slot) || typeof slot.slotId !== 'string') return null;
  return { slotId: slot.slotId, fresh: 'fresh' in result && result.fresh === true };
}

/** For `/ready`: this process answers 503 for these events, and another one may not. */
export function readinessOf(watch: ServerWatch): ReadinessCheck {
  return {
    name: 'queue',
    async check() {
      if (watch.isOnReplica()) throw new Error('connected to a read replica of the store');
      const events = watch.superseded().size;
      if (events > 0) throw new Error(`connected to a superseded server of the store, for ${events} events`);
    },
  };
}

/** Every call of these states is fenced. */
export function fencedBy<States extends EventStates>(watch: ServerWatch, states: States): States {
  return {
    ...states,
    withState: (eventId, call, changed) => states.withState(eventId, watch.fenced(eventId, call), changed),
  };
}
