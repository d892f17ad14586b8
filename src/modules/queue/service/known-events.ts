import type { catalogInternalCalls } from '#modules/catalog/contract.ts';
import type { Clock } from '#platform/clock.ts';
import type { InternalClient } from '#platform/internal-call.ts';
import type { Job } from '#platform/module.ts';
import type { Database } from '#platform/postgres/database.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import type { EventFacts, KnownEvents } from '../ports.ts';
import { factsById, factsChangedSince, factsOfOpenSales, saveFacts } from '../storage/facts.ts';
import { factsOf, isOverAt } from './event-facts.ts';

export interface KnownEventsDeps {
  readonly database: Database;
  readonly catalog: Pick<InternalClient<typeof catalogInternalCalls>, 'eventFacts'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface RefreshedEvents extends KnownEvents {
  /** Takes the facts if they are newer than what is known. */
  apply(facts: EventFacts): void;
  /** Reads what the other processes have written, and answers with it. */
  refresh(): Promise<readonly EventFacts[]>;
}

const eventsMax = 10_000;
/** Addresses that somebody makes up must not each cost a call to catalog. */
const absentForMs = 2_000;
const absentMax = 10_000;
/** Longer than any transaction that writes facts. */
const lookBackMs = 60_000;

/**
 * Facts in the memory of this process, in front of `queue.event_facts`, in front of catalog. The table is why a process
 * that starts while catalog is away knows the events all the same.
 */
export function createKnownEvents({ database, catalog, clock, logger }: KnownEventsDeps): RefreshedEvents {
  const known = new Map<string, EventFacts>();
  const absentUntil = new Map<string, number>();
  const asking = new Map<string, Promise<EventFacts | null>>();
  let readUpTo: Date | null = null;

  function apply(facts: EventFacts): void {
    const before = known.get(facts.eventId);
    if (before !== undefined && before.version >= facts.version) return;
    if (before === undefined && known.size >= eventsMax) makeRoom(known, clock.now());
    known.set(facts.eventId, facts);
    absentUntil.delete(facts.eventId);
  }

  async function ask(eventId: string): Promise<EventFacts | null> {
    const written = await factsById(database, eventId).catch((error: unknown) => {
      logger.warn({ err: error, eventId }, 'the facts of an event could not be read; asking catalog');
      return null;
    });
    const facts = written ?? (await askCatalog(eventId));
    if (facts === null) {
      if (absentUntil.size >= absentMax) absentUntil.clear();
      absentUntil.set(eventId, clock.monotonicMs() + absentForMs);
      return null;
    }
    apply(facts);
    return known.get(eventId) ?? facts;
  }

  async function askCatalog(eventId: string): Promise<EventFacts | null> {
    const { event } = await catalog.eventFacts({ eventId });
    if (event === null) return null;
    const facts = factsOf(event, { cancelled: event.cancelledAt !== null });
    // The bus brings them too; until then this is what keeps the queue going should catalog leave.
    await saveFacts(database, [facts]).catch((error: unknown) =>
      logger.warn({ err: error, eventId }, 'the facts of an event were not written'),
    );
    return facts;
  }

  return {
    apply,

    async get(eventId) {
      const facts = known.get(eventId);
      if (facts !== undefined) return facts;
      if ((absentUntil.get(eventId) ?? 0) > clock.monotonicMs()) return null;
      const running = asking.get(eventId);
      if (running !== undefined) return running;
      const started = ask(eventId).finally(() => asking.delete(eventId));
      asking.set(eventId, started);
      return started;
    },

    onSale() {
      const now = clock.now();
      return [...known.values()].filter((facts) => facts.opensAtMs <= now && !isOverAt(facts, now));
    },

    isOver(eventId) {
      const facts = known.get(eventId);
      return facts !== undefined && isOverAt(facts, clock.now());
    },

    async refresh() {
      const page =
        readUpTo === null
          ? await factsOfOpenSales(database, { nowMs: clock.now(), limit: eventsMax })
          : await factsChangedSince(database, new Date(readUpTo.getTime() - lookBackMs));
      for (const facts of page.facts) apply(facts);
      // Nothing there yet: the whole list is short, and is read again.
      if (page.changedAt !== null && (readUpTo === null || page.changedAt > readUpTo)) readUpTo = page.changedAt;
      return page.facts;
    },
  };
}

/** With the way through the bus this keeps a change below a second. */
const refreshEveryMs = 400;

export function createFactsRefreshJob(
  known: Pick<RefreshedEvents, 'refresh'>,
  onFacts: (facts: readonly EventFacts[]) => void = () => undefined,
): Job {
  return { name: 'queue-facts-refresh', everyMs: refreshEveryMs, run: async () => onFacts(await known.refresh()) };
}

/** Events that are over go first; if there are none, the one that was learned first. */
function makeRoom(known: Map<string, EventFacts>, nowMs: number): void {
  for (const [eventId, facts] of known) if (facts.closesAtMs <= nowMs) known.delete(eventId);
  const [oldest] = known.keys();
  if (known.size >= eventsMax && oldest !== undefined) known.delete(oldest);
}
