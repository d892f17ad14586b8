import type { RouteHandler } from '#platform/http/contract.ts';
import { createEventStreams } from '#platform/http/event-stream.ts';
import { callerHeaders } from '#platform/http/names.ts';
import type { Random } from '#platform/random.ts';
import { ticketingErrors } from '../errors.ts';
import type { LiveMap } from '../service/live-map.ts';
import type { LiveMaps } from '../service/seat-maps.ts';
import type { SeatStreams } from '../service/seat-streams.ts';
import type { seatContracts } from './seat-contracts.ts';

export type StreamSeatsHandler = RouteHandler<typeof seatContracts.streamSeats>;

const versionPattern = /^\d{1,15}$/;

/** Server-sent changes of an event's seats; with `since`, the same as one answer. */
export function createStreamSeatsHandler(deps: {
  mapOf: (eventId: string) => Promise<LiveMap>;
  maps: Pick<LiveMaps, 'watch'>;
  streams: SeatStreams;
  random: Random;
}): StreamSeatsHandler {
  const { mapOf, maps, streams, random } = deps;
  const open = createEventStreams({ random, endAll: () => streams.endAll() });

  return async (request, reply) => {
    const { eventId } = request.params;
    const { since } = request.query;
    const map = await mapOf(eventId);
    if (since !== undefined) return map.changesSince(since);
    if (streams.isFull) throw ticketingErrors.fault('SEAT_STREAMS_FULL');
    const socket = open(request, reply);
    if (socket === null) return reply;
    const unwatch = maps.watch(eventId);
    const known = knownVersion(request.headers[callerHeaders.lastEventId]);
    const remove = streams.add({ map, userId: request.user.userId, since: known, socket });
    socket.onClose(() => {
      remove();
      unwatch();
    });
    return reply;
  };
}

/** Said by the client, and used for nothing but what its own page shows. */
function knownVersion(header: string | string[] | undefined): number | null {
  return typeof header === 'string' && versionPattern.test(header) ? Number(header) : null;
}
