import type { RouteHandler } from '#platform/http/contract.ts';
import { createEventStreams } from '#platform/http/event-stream.ts';
import { callerHeaders } from '#platform/http/names.ts';
import type { Random } from '#platform/random.ts';
import { queueErrors } from '../errors.ts';
import { type EventView, isInStore } from '../service/event-view.ts';
import type { Caller, Queue } from '../service/queue.ts';
import type { Snapshots } from '../service/snapshots.ts';
import type { StreamFacts, Streams } from '../service/streams.ts';
import type { Callers } from './caller.ts';
import type { queueContracts } from './contracts.ts';

export type StreamHandler = RouteHandler<typeof queueContracts.streamQueue>;

const positionPattern = /^[1-9]\d{0,9}$/;

/** Server-sent news of a place. */
export function createStreamHandler(deps: {
  queue: Queue;
  snapshots: Snapshots;
  streams: Streams;
  callers: Callers;
  random: Random;
}): StreamHandler {
  const { queue, snapshots, streams, callers, random } = deps;
  const open = createEventStreams({ random, endAll: () => streams.endAll() });

  /** By the ticket where the snapshot says the rest; else the store is asked, in a way that is no claim of a slot. */
  async function placeOf(
    view: EventView,
    { ticket, userId }: Caller,
  ): Promise<Pick<StreamFacts, 'order' | 'position'>> {
    if (ticket !== null && queue.isSettled(view, ticket)) return { order: ticket.order, position: null };
    if (!isInStore(view)) throw queueErrors.fault('NO_PLACE');
    const found = await queue.trace(view.eventId, userId);
    const order = found.slot?.order ?? found.order;
    if (order === null || found.place === 'none') throw queueErrors.fault('NO_PLACE');
    return { order, position: found.position };
  }

  return async (request, reply) => {
    const { eventId } = request.params;
    const caller = callers.any(request, eventId, request.user);
    if (streams.isFull) throw queueErrors.fault('STREAMS_FULL');
    const view = await snapshots.get(eventId);
    const place = await placeOf(view, caller);
    const socket = open(request, reply);
    if (socket === null) return reply;
    const smallest = lastPosition(request.headers[callerHeaders.lastEventId]);
    socket.onClose(streams.add({ eventId, userId: caller.userId, ...place, smallest, socket }, view));
    return reply;
  };
}

/** Said by the client, and used for nothing but what its own page shows. */
function lastPosition(header: string | string[] | undefined): number | null {
  return typeof header === 'string' && positionPattern.test(header) ? Number(header) : null;
}
