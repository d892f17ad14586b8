import { isFault } from '#platform/errors.ts';
import type { Job } from '#platform/module.ts';
import type { TicketingDeps } from '../ports.ts';
import { type OldPin, oldPins } from '../storage/old-pins.ts';

const everyMs = 10_000;
const oldAfterMs = 2 * 60_000;
/** Asked about at once, the oldest first and the next ones in the next run; the metric counts all. */
const askedMax = 100;
/** Payments tells what has ended on the bus, which takes its time. */
const askAgainMs = 60_000;

/**
 * A pin stays until its payment's outcome is known: nothing ends it by time, since money may have been taken. Payments is asked about one that
 * is old, and tells once more what has come of it. One whose attempt payments does not know stays, with an alarm: a person has to look.
 */
export function createOldPinsWatch({
  database,
  clock,
  logger,
  metrics,
  payments,
}: Pick<TicketingDeps, 'database' | 'clock' | 'logger' | 'metrics' | 'payments'>): Job {
  const old = metrics.gauge(
    'urr_ticketing_old_pins',
    'Reservations that have been kept for a payment for more than two minutes without an outcome.',
  );
  const unknown = metrics.gauge(
    'urr_ticketing_unknown_pins',
    'Of the old ones, those whose payment attempt payments does not know. Each needs a person.',
  );
  const askedAt = new Map<string, number>();
  const nobodys = new Set<string>();
  /** Of this round through all of them. */
  const seen = new Set<string>();
  let after: OldPin | null = null;
  let said = '';

  /** Those that payments has not been asked about for a while. */
  async function ask(pins: readonly OldPin[]): Promise<void> {
    const now = clock.monotonicMs();
    const due = pins.filter(
      ({ attemptId }) => now - (askedAt.get(attemptId) ?? Number.NEGATIVE_INFINITY) >= askAgainMs,
    );
    if (due.length === 0) return;
    const attemptIds = due.map(({ attemptId }) => attemptId);
    const { attempts } = await payments.attemptStates({ attemptIds });
    const known = new Set(attempts.map(({ attemptId }) => attemptId));
    for (const attemptId of attemptIds) {
      askedAt.set(attemptId, now);
      if (known.has(attemptId)) nobodys.delete(attemptId);
      else nobodys.add(attemptId);
    }
  }

  function forgetAllBut(still: ReadonlySet<string>): void {
    for (const attemptId of askedAt.keys()) {
      if (still.has(attemptId)) continue;
      askedAt.delete(attemptId);
      nobodys.delete(attemptId);
    }
  }

  /** What has gone is known when all were seen. */
  function goOn(page: readonly OldPin[]): void {
    for (const { attemptId } of page) seen.add(attemptId);
    after = page.length < askedMax ? null : (page.at(-1) ?? null);
    if (after !== null) return;
    forgetAllBut(seen);
    seen.clear();
  }

  /** Once a round, and only what has changed. */
  function say(count: number, oldest: readonly OldPin[]): void {
    const names = JSON.stringify([oldest, [...nobodys]]);
    if (count > 0 && names !== said)
      logger.error(
        { count, oldest: oldest.slice(0, 20), unknown: [...nobodys] },
        'seats are kept for payments whose outcome has not been told for minutes',
      );
    said = names;
  }

  return {
    name: 'ticketing-old-pins',
    everyMs,
    async run() {
      const isFirst = after === null;
      const { count, page } = await oldPins(database, { oldAfterMs, limit: askedMax, after });
      old.set(count);
      try {
        await ask(page);
        goOn(page);
      } catch (error) {
        if (!isFault(error)) throw error;
        logger.warn({ err: error, count }, 'payments could not be asked about old pins; it is asked again');
      }
      unknown.set(nobodys.size);
      if (isFirst) say(count, page);
    },
  };
}
