import type { Job } from '#platform/module.ts';
import { createSeatPlan, type SeatPlan } from '../domain/seat-plan.ts';
import type { EventBook, EventBooks, TicketingDeps } from '../ports.ts';
import { type ChangedEvent, type EventRow, eventById, eventsChangedSince } from '../storage/events.ts';

export interface RefreshedBooks extends EventBooks {
  /** Reads anew what other processes have changed of the events that this one knows. */
  refresh(): Promise<void>;
}

/** Addresses that somebody makes up must not each cost a query. */
const absentForMs = 1_000;
const absentMax = 10_000;
/** Longer than any transaction that writes events: a change gets its time before it is committed. */
const lookBackMs = 60_000;
const booksMax = 2_000;
/** Of all plans together; one takes some 50 bytes in memory. */
const seatsMax = 2_000_000;

/** Events in the memory of this process, in front of the table. Nobody else is asked, so catalog may be away. */
export function createEventBooks({ database, clock }: Pick<TicketingDeps, 'database' | 'clock'>): RefreshedBooks {
  const known = new Map<string, { book: EventBook; usedAtMs: number }>();
  const absentUntil = new Map<string, number>();
  const reading = new Map<string, Promise<EventBook | null>>();
  const following = new Map<string, Promise<EventBook | null>>();
  let readUpTo: Date | null = null;

  /** Who asks while a read is under way may need a newer answer: one more follows, for all who ask meanwhile. */
  function read(eventId: string): Promise<EventBook | null> {
    const underWay = reading.get(eventId);
    if (underWay === undefined) return begin(eventId);
    const next = following.get(eventId) ?? underWay.catch(() => undefined).then(() => begin(eventId));
    following.set(eventId, next);
    return next;
  }

  function begin(eventId: string): Promise<EventBook | null> {
    following.delete(eventId);
    const started = readNow(eventId).finally(() => reading.delete(eventId));
    reading.set(eventId, started);
    return started;
  }

  async function readNow(eventId: string): Promise<EventBook | null> {
    const before = known.get(eventId)?.book;
    const row = await eventById(database, eventId, before?.plan?.offer ?? null);
    if (row === null) {
      if (absentUntil.size >= absentMax) absentUntil.clear();
      absentUntil.set(eventId, clock.monotonicMs() + absentForMs);
      return null;
    }
    const book = bookOf(row, before?.plan ?? null);
    absentUntil.delete(eventId);
    known.delete(eventId);
    makeRoom(known, book.plan?.seatCount ?? 0);
    known.set(eventId, { book, usedAtMs: clock.monotonicMs() });
    return book;
  }

  return {
    async get(eventId) {
      const found = known.get(eventId);
      if (found !== undefined) {
        found.usedAtMs = clock.monotonicMs();
        return found.book;
      }
      if ((absentUntil.get(eventId) ?? 0) > clock.monotonicMs()) return null;
      return reading.get(eventId) ?? read(eventId);
    },

    renew: read,

    async refresh() {
      const { now, events } = await eventsChangedSince(database, readUpTo && new Date(readUpTo.getTime() - lookBackMs));
      for (const event of events) {
        absentUntil.delete(event.event_id);
        const book = known.get(event.event_id)?.book;
        if (book !== undefined && !isSame(book, event)) await read(event.event_id);
      }
      readUpTo = now;
    },
  };
}

/** With the way through the bus this keeps a change below a second. */
const refreshEveryMs = 400;

export function createBooksRefreshJob(books: Pick<RefreshedBooks, 'refresh'>): Job {
  return { name: 'ticketing-books-refresh', everyMs: refreshEveryMs, run: () => books.refresh() };
}

function bookOf(row: EventRow, planBefore: SeatPlan | null): EventBook {
  return {
    eventId: row.facts.eventId,
    version: row.version,
    facts: row.facts,
    opensAtMs: Date.parse(row.facts.saleOpensAt),
    closesAtMs: Date.parse(row.facts.saleClosesAt),
    isCancelled: row.is_cancelled,
    isReady: row.built_offer === row.offer,
    plan: planOf(row, planBefore),
  };
}

function planOf({ plan_offer, layout_id, plan }: EventRow, before: SeatPlan | null): SeatPlan | null {
  if (plan_offer === null || layout_id === null) return null;
  if (plan === null) return before;
  return createSeatPlan({ offer: plan_offer, layoutId: layout_id, document: plan });
}

function isSame(book: EventBook, event: ChangedEvent): boolean {
  return (
    book.version === event.version &&
    book.isReady === event.is_ready &&
    book.isCancelled === event.is_cancelled &&
    (book.plan?.offer ?? null) === event.plan_offer
  );
}

/** What was not asked for the longest goes first. */
function makeRoom(known: Map<string, { book: EventBook; usedAtMs: number }>, seatsMore: number): void {
  let seats = seatsMore + [...known.values()].reduce((sum, { book }) => sum + (book.plan?.seatCount ?? 0), 0);
  if (known.size < booksMax && seats <= seatsMax) return;
  for (const [eventId, { book }] of [...known].sort(([, a], [, b]) => a.usedAtMs - b.usedAtMs)) {
    if (known.size < booksMax && seats <= seatsMax) return;
    known.delete(eventId);
    seats -= book.plan?.seatCount ?? 0;
  }
}
