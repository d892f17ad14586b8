import type { Clock } from '#platform/clock.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import { generalLane, packPlaceOrder } from '../domain/place-order.ts';
import type { QueueJournal, QueueStore, StoreSnapshot } from '../ports.ts';

export interface RecoveryWatch {
  endWhenCrowdIsBack(eventId: string, snapshot: StoreSnapshot): Promise<void>;
}

/** However few were known to wait: some had come in the last second, which the journal had not seen. */
const recoveryMinMs = 5_000;
const eventsMax = 1_000;

/** Recovery ends by itself after its time; here it ends as soon as everybody who was waiting before is waiting again. */
export function createRecoveryWatch(deps: {
  store: QueueStore;
  journal: QueueJournal;
  clock: Clock;
  logger: Logger;
}): RecoveryWatch {
  const { store, journal, clock, logger } = deps;
  const since = new Map<string, { epoch: number; atMs: number }>();

  return {
    async endWhenCrowdIsBack(eventId, snapshot) {
      const { epoch } = snapshot;
      const seen = since.get(eventId);
      if (seen?.epoch !== epoch) {
        const [oldest] = since.keys();
        if (since.size >= eventsMax && oldest !== undefined) since.delete(oldest);
        since.set(eventId, { epoch, atMs: clock.monotonicMs() });
        return;
      }
      if (clock.monotonicMs() - seen.atMs < recoveryMinMs) return;
      const { crowd } = await journal.open(eventId);
      const back = returned(snapshot);
      if (back < crowd) return;
      await store.endRecovery({ eventId, epoch });
      logger.info({ eventId, epoch, crowd, back }, 'the crowd is back: recovery is over');
    },
  };
}

/**
 * How many of those who wait have a place from before the loss, at least: all but those who joined since, who must not be
 * counted for somebody who is still missing. While many of these have left again, the ranks say more: recovery began a new
 * era, so anyone who came since stands behind its first number.
 */
function returned({ breakpoints, era, waiting, totals }: StoreSnapshot): number {
  const newcomers = packPlaceOrder({ lane: generalLane, era, number: 1 });
  const inFront = breakpoints.findLast(({ order }) => order < newcomers)?.rank ?? 0;
  return Math.max(inFront, waiting - totals.joined);
}
