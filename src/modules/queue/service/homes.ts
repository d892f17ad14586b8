import { withTimeout } from '#platform/resilience/timeout.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import type { QueueJournal } from '../ports.ts';

/** Where an event was found sound, by which connection, and when the journal last said so. */
export interface Home {
  readonly identity: string;
  readonly connection: string;
  /** Before the journal was asked. */
  readonly leaseFromMs: number;
}

/**
 * Where this process found each event, and whether it may give slots there: the lease. It lasts some seconds from when the
 * journal was asked, and is renewed each second for the events that are looked at. A server that takes the event over recovers
 * for longer than a lease lasts before it admits anybody, so two servers never give slots at the same time.
 */
export interface Homes {
  has(eventId: string): boolean;
  get(eventId: string): Home | undefined;
  set(eventId: string, home: Home): void;
  delete(eventId: string): void;
  ids(): string[];
  /** From memory, unless nobody has asked the journal for some seconds: then it is asked, for a moment. */
  mayGrant(eventId: string): Promise<boolean>;
  /** Asks the journal, unless that was done a moment ago or it does not answer. */
  confirm(eventIds: readonly string[], servers: readonly string[]): Promise<Confirmed>;
}

export interface Confirmed {
  /** The journal names another server. */
  readonly elsewhere: readonly string[];
  /** There is something to merge into these, whose epochs are here. */
  readonly late: ReadonlyMap<string, number>;
}

const eventsMax = 10_000;
/** Some renewals may fail or be late. Shorter than any recovery (`URR_QUEUE_RECOVERING_SECONDS` is 5 or more). */
export const leaseMs = 3_000;
const confirmEveryMs = 400;
/** The journal is waited for so long; without its word there is a place instead of a slot. */
const grantWaitMs = 500;
/** A journal that did not answer is not waited for again so soon. */
const journalAwayMs = 1_000;

export function createHomes({ journal, logger }: { journal: QueueJournal; logger: Logger }): Homes {
  const homes = new Map<string, Home>();
  const asking = new Map<string, Promise<void>>();
  let confirming = false;
  let confirmedAtMs = Number.NEGATIVE_INFINITY;
  let awayUntilMs = Number.NEGATIVE_INFINITY;

  const isFresh = (eventId: string) => {
    const home = homes.get(eventId);
    return home !== undefined && performance.now() < home.leaseFromMs + leaseMs;
  };

  async function ask(eventIds: readonly string[], servers: readonly string[]): Promise<Confirmed> {
    const leaseFromMs = performance.now();
    const heads = await journal.confirm({ eventIds, servers });
    const elsewhere: string[] = [];
    const late = new Map<string, number>();
    for (const [eventId, { begun, identity, epoch, hasLate }] of heads) {
      const home = homes.get(eventId);
      if (home === undefined || !begun) continue;
      if (home.identity !== identity) {
        homes.set(eventId, { ...home, leaseFromMs: Number.NEGATIVE_INFINITY });
        elsewhere.push(eventId);
        continue;
      }
      if (leaseFromMs > home.leaseFromMs) homes.set(eventId, { ...home, leaseFromMs });
      if (hasLate) late.set(eventId, epoch);
    }
    return { elsewhere, late };
  }

  /** Many callers find the lease over at once; one question serves them all. What it says is in `homes`. */
  function askOnce(eventId: string): Promise<void> {
    const running = asking.get(eventId);
    if (running !== undefined) return running;
    const started = ask([eventId], [])
      .then(({ elsewhere }) => {
        // The next call finds no home, and is checked before it is answered.
        for (const each of elsewhere) homes.delete(each);
      })
      .finally(() => asking.delete(eventId));
    asking.set(eventId, started);
    return started;
  }

  function isAway(error: unknown): void {
    awayUntilMs = performance.now() + journalAwayMs;
    logger.warn({ err: error }, 'the journal does not say where queues are kept; nobody is given a slot until it does');
  }

  return {
    has: (eventId) => homes.has(eventId),
    get: (eventId) => homes.get(eventId),
    set(eventId, home) {
      const [oldest] = homes.keys();
      if (!homes.has(eventId) && homes.size >= eventsMax && oldest !== undefined) homes.delete(oldest);
      homes.set(eventId, home);
    },
    delete: (eventId) => void homes.delete(eventId),
    ids: () => [...homes.keys()],

    async mayGrant(eventId) {
      if (isFresh(eventId)) return true;
      if (performance.now() < awayUntilMs) return false;
      await withTimeout(askOnce(eventId), grantWaitMs, () => new Error('no answer in time')).catch(isAway);
      return isFresh(eventId);
    },

    async confirm(eventIds, servers) {
      const nothing = { elsewhere: [], late: new Map() };
      if (confirming || performance.now() - confirmedAtMs < confirmEveryMs) return nothing;
      confirming = true;
      confirmedAtMs = performance.now();
      const asked = ask(eventIds, servers).finally(() => {
        confirming = false;
      });
      // What comes later counts all the same, and is said again by the next one.
      return withTimeout(asked, grantWaitMs, () => new Error('no answer in time')).catch((error: unknown) => {
        isAway(error);
        return nothing;
      });
    },
  };
}
