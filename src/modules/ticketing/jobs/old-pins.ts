import type { Job } from '#platform/module.ts';
import type { TicketingDeps } from '../ports.ts';
import { oldPins } from '../storage/old-pins.ts';

const everyMs = 10_000;
const oldAfterMs = 2 * 60_000;
/** Named in the log; the metric counts all. */
const namedMax = 20;

/**
 * A pin stays until its payment's outcome is known: nothing ends it by time, since money may have been taken. One that is old is a payment
 * that nobody has decided. Said again whenever there are more or others.
 */
export function createOldPinsWatch({
  database,
  logger,
  metrics,
}: Pick<TicketingDeps, 'database' | 'logger' | 'metrics'>): Job {
  const gauge = metrics.gauge(
    'urr_ticketing_old_pins',
    'Reservations that have been kept for a payment for more than two minutes without an outcome.',
  );
  let said = '';
  return {
    name: 'ticketing-old-pins',
    everyMs,
    async run() {
      const { count, oldest } = await oldPins(database, { oldAfterMs, limit: namedMax });
      gauge.set(count);
      const names = JSON.stringify(oldest);
      if (count > 0 && names !== said)
        logger.error({ count, oldest }, 'seats are kept for payments whose outcome has not been told for minutes');
      said = names;
    },
  };
}
