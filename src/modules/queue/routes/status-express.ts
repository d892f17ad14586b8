import type { ExpressRoute } from '#platform/http/express-lane.ts';
import type { Queue } from '../service/queue.ts';
import type { Callers } from './caller.ts';
import { queueContracts } from './contracts.ts';

const eventIdLength = 36;

/** Polls that the snapshot answers alone, by a ticket: on a busy night nearly every request there is. */
export function createStatusExpress({
  queue,
  callers,
}: {
  queue: Pick<Queue, 'poll'>;
  callers: Callers;
}): ExpressRoute {
  return {
    contract: queueContracts.getQueueStatus,
    paramLength: eventIdLength,
    answer({ param: eventId, headers, user }) {
      const caller = callers.byTicket(headers, eventId, user);
      return caller === null ? null : queue.poll(eventId, caller);
    },
  };
}
