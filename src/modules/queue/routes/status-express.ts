import type { ProvingRoute } from '#platform/http/express-lane.ts';
import type { Caller, Queue } from '../service/queue.ts';
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
}): ProvingRoute<Caller> {
  return {
    contract: queueContracts.getQueueStatus,
    paramLength: eventIdLength,
    callerOf: (headers, eventId) => callers.byWaitingTicket(headers, eventId),
    answer: (caller, eventId) => queue.poll(eventId, caller),
  };
}
