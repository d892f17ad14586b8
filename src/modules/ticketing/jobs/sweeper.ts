import type { Job } from '#platform/module.ts';
import type { TicketingDeps } from '../ports.ts';
import type { Aftermath } from '../service/aftermath.ts';
import { returnDelayed, sweepLapsed } from '../storage/transitions.ts';

const everyMs = 1_000;
/** Reservations, or seats, of one transaction: it locks them for as long as it takes. */
const biteMax = 200;
/** Of one run. What is left is for the next. */
const bitesMax = 50;

/**
 * Tidies up what has lapsed: counters, the map's news, RESERVATION_EXPIRED. Nobody waits for it, since a lapsed hold is free without it. Any
 * number of processes may sweep at once; each passes over what another has in hand.
 */
export function createSweeper({
  database,
  aftermath,
}: Pick<TicketingDeps, 'database'> & { aftermath: Aftermath }): Job {
  return {
    name: 'ticketing-sweeper',
    everyMs,
    async run(signal) {
      for (let bite = 0; bite < bitesMax && !signal.aborted; bite++) {
        const { ended, freed } = await sweepLapsed(database, biteMax);
        if (ended > 0) aftermath.follow(freed);
        if (ended < biteMax) break;
      }
      for (let bite = 0; bite < bitesMax && !signal.aborted; bite++) {
        const { dealtWith, freed } = await returnDelayed(database, biteMax);
        if (freed.length > 0) aftermath.follow(freed);
        if (dealtWith < biteMax) break;
      }
    },
  };
}
