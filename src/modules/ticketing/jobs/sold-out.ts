import type { Job } from '#platform/module.ts';
import type { TicketingDeps } from '../ports.ts';
import { claimTelling, type EventOnSale, eventsOnSale, forgetTelling, isSoldOut } from '../storage/sold-out.ts';

const everyMs = 1_000;
/** Catalog may have lost it, or another process may have said the opposite a moment too late. */
const againAfterMs = 30_000;
/** A row of the ledger may become visible after one with a higher number: who changed lately is looked at again. */
const lookAgainForMs = 5_000;
const eventsMax = 10_000;

/**
 * Tells catalog when nothing is left of an event, takes it back when something is, and repeats either every 30 s. An event is
 * looked at when its ledger has grown; one that was never sold out is not spoken of at all.
 */
export function createSoldOutJob({
  database,
  catalog,
  clock,
  logger,
}: Pick<TicketingDeps, 'database' | 'catalog' | 'clock' | 'logger'>): Job {
  const seen = new Map<string, { readonly ledgerId: number | null; readonly lookUntilMs: number }>();

  function needsLook({ event_id, ledger_id, told, told_ms }: EventOnSale): boolean {
    const last = seen.get(event_id);
    const now = clock.monotonicMs();
    if (last === undefined || last.ledgerId !== ledger_id) {
      seen.set(event_id, { ledgerId: ledger_id, lookUntilMs: now + lookAgainForMs });
      return true;
    }
    if (now < last.lookUntilMs) return true;
    return told !== null && (told_ms === null || told_ms < 0 || told_ms >= againAfterMs);
  }

  async function look({ event_id: eventId, told }: EventOnSale): Promise<void> {
    const soldOut = await isSoldOut(database, eventId);
    if (!soldOut && told === null) return;
    if (!(await claimTelling(database, { eventId, soldOut, againAfterMs }))) return;
    try {
      await catalog.markSoldOut({ eventId, soldOut });
    } catch (error) {
      logger.warn(
        { err: error, eventId, soldOut },
        'catalog was not told whether an event is sold out; it is tried again',
      );
      await forgetTelling(database, eventId);
    }
  }

  return {
    name: 'ticketing-sold-out',
    everyMs,
    async run(signal) {
      const events = await eventsOnSale(database, eventsMax);
      const known = new Set(events.map(({ event_id }) => event_id));
      for (const eventId of seen.keys()) if (!known.has(eventId)) seen.delete(eventId);
      for (const event of events) {
        if (signal.aborted) return;
        if (needsLook(event)) await look(event);
      }
    },
  };
}
