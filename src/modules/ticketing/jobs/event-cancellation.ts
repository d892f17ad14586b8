import type { Job } from '#platform/module.ts';
import type { TicketingDeps } from '../ports.ts';
import type { Aftermath } from '../service/aftermath.ts';
import {
  cancelEventBite,
  databaseNow,
  endEventCancellation,
  eventsBeingCancelled,
} from '../storage/cancelled-events.ts';

const everyMs = 1_000;
const eventsMax = 100;
/** Reservations of one transaction. */
const biteMax = 50;
/** Of one event in one run, so that no event waits for a large one to end. */
const bitesMax = 40;
/** Longer than any statement may take: who had not seen the mark is through by then. */
const settleMs = 10_000;

type CancellationDeps = Pick<TicketingDeps, 'database' | 'logger'> & { readonly aftermath: Aftermath };

/**
 * Cancels the reservations of events that will not take place, pass after pass, until one that began 10 s after the mark was there finds
 * nothing. Which reservations are left is read from their own states: a process that dies leaves nothing half-done,
 * and several may be at it.
 */
export function createEventCancellation({ database, logger, aftermath }: CancellationDeps): Job {
  async function pass(eventId: string, signal: AbortSignal): Promise<void> {
    const passBegan = await databaseNow(database);
    let afterId: string | null = null;
    let found = 0;
    for (let bites = 0; bites < bitesMax; bites++) {
      if (signal.aborted) return;
      const bite = await cancelEventBite(database, { eventId, afterId, rowsMax: biteMax });
      if (bite.found > 0) aftermath.follow(bite.freed);
      found += bite.found;
      afterId = bite.lastId;
      if (afterId === null) break;
    }
    if (found > 0) logger.info({ eventId, found }, 'reservations of a cancelled event were cancelled');
    else if (await endEventCancellation(database, { eventId, passBegan, settleMs }))
      logger.info({ eventId }, 'no reservation of a cancelled event is left');
  }

  return {
    name: 'ticketing-event-cancellation',
    everyMs,
    async run(signal) {
      for (const eventId of await eventsBeingCancelled(database, eventsMax)) {
        if (signal.aborted) return;
        // An event that cannot be dealt with must not keep the others' buyers from their money.
        await pass(eventId, signal).catch((error: unknown) =>
          logger.error({ err: error, eventId }, 'reservations of a cancelled event could not be cancelled'),
        );
      }
    },
  };
}
