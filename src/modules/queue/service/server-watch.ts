import { withTimeout } from '#platform/resilience/timeout.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import type { EventStates, Lost, QueueStore } from '../ports.ts';
import { whileCallerWaits } from './event-states.ts';
import { inParallel } from './in-parallel.ts';

/**
 * Notices when an event is on another server than before: after a restart, or a fail-over to a copy that may have missed
 * the last changes. Such an event is checked against the journal, which knows where it was begun; the others are not.
 *
 * The server of an event cannot become another one on the same connection. So an answer counts if it came by the connection
 * by which the event was found sound. Otherwise the server is asked who it is first, and what a stale copy said is
 * forgotten with that copy.
 */
export interface ServerWatch {
  /** The call, fenced: `lost` if it may have been answered by a stale copy, which has been replaced by then. */
  fenced<Result>(eventId: string, call: () => Promise<Result | Lost>): () => Promise<Result | Lost>;
  /**
   * Looks at every server once, for events that nobody asks for, and for a proxy that keeps connections over a fail-over.
   * The answer says of an event whether it is sound where it is now; until then nobody may be admitted to it.
   */
  look(eventIds: Iterable<string>): Promise<(eventId: string) => boolean>;
  /** The events that this process has dealt with, the latest ten thousand. */
  events(): string[];
}

const checksAtOnce = 4;
/** The events of one server must not wait for those of another; what takes longer goes on, and the next look finds it done. */
const checksWaitMs = 1_000;
const eventsMax = 10_000;

/** Where an event was found sound, and by which connection. */
interface Home {
  readonly identity: string;
  readonly connection: string;
}

export function createServerWatch(deps: {
  store: QueueStore;
  states: Pick<EventStates, 'suspectLoss'>;
  logger: Logger;
}): ServerWatch {
  const { store, states, logger } = deps;
  const homes = new Map<string, Home>();
  const underWay = new Map<string, Promise<'same' | 'another'>>();

  async function settle(eventId: string): Promise<'same' | 'another'> {
    const connection = store.connection(eventId);
    const identity = await store.identity(eventId);
    const former = homes.get(eventId);
    if (former?.identity !== identity) {
      if (former !== undefined) logger.warn({ eventId }, 'a queue is on another server than before');
      await states.suspectLoss(eventId);
    }
    const [oldest] = homes.keys();
    if (former === undefined && homes.size >= eventsMax && oldest !== undefined) homes.delete(oldest);
    homes.set(eventId, { identity, connection });
    return former?.identity === identity ? 'same' : 'another';
  }

  function settleOnce(eventId: string): Promise<'same' | 'another'> {
    const running = underWay.get(eventId);
    if (running !== undefined) return running;
    const started = settle(eventId).finally(() => underWay.delete(eventId));
    underWay.set(eventId, started);
    return started;
  }

  return {
    fenced: (eventId, call) => async () => {
      if (!homes.has(eventId)) await whileCallerWaits(settleOnce(eventId));
      const result = await call();
      if (homes.get(eventId)?.connection === store.connection(eventId)) return result;
      return (await whileCallerWaits(settleOnce(eventId))) === 'same' ? result : { status: 'lost' };
    },

    async look(eventIds) {
      const servers = await store.servers();
      const isSound = (eventId: string) => homes.get(eventId)?.identity === servers.of(eventId);
      const suspects = [...new Set([...homes.keys(), ...eventIds])].filter(
        (eventId) => servers.of(eventId) !== null && !isSound(eventId),
      );
      const checks = inParallel(suspects, checksAtOnce, async (eventId) => {
        await settleOnce(eventId).catch((error: unknown) =>
          logger.warn({ err: error, eventId }, 'a queue could not be checked; nobody is admitted to it until it is'),
        );
      });
      await withTimeout(checks, checksWaitMs, () => new Error('the checks take longer')).catch(() => undefined);
      return isSound;
    },

    events: () => [...homes.keys()],
  };
}

/** Every call of these states is fenced. */
export function fencedBy<States extends EventStates>(watch: ServerWatch, states: States): States {
  return {
    ...states,
    withState: (eventId, call, changed) => states.withState(eventId, watch.fenced(eventId, call), changed),
  };
}
