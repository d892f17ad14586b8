import type { Server } from 'node:http';
import type { RouteHandler } from '#platform/http/contract.ts';
import { callerHeaders } from '#platform/http/names.ts';
import type { Random } from '#platform/random.ts';
import { ticketingErrors } from '../errors.ts';
import type { LiveMap } from '../service/live-map.ts';
import type { LiveMaps } from '../service/seat-maps.ts';
import type { SeatStreamSocket, SeatStreams } from '../service/seat-streams.ts';
import type { seatContracts } from './seat-contracts.ts';

export type StreamSeatsHandler = RouteHandler<typeof seatContracts.streamSeats>;

const retryMinMs = 1_000;
const retryMaxMs = 10_000;
const versionPattern = /^\d{1,15}$/;

/** Server-sent events. The answer is taken out of the server's hands: it lasts as long as the reader does. */
export function createStreamSeatsHandler(deps: {
  mapOf: (eventId: string) => Promise<LiveMap>;
  maps: Pick<LiveMaps, 'watch'>;
  streams: SeatStreams;
  random: Random;
}): StreamSeatsHandler {
  const { mapOf, maps, streams, random } = deps;
  const endWith = createServerWatch(streams);

  return async (request, reply) => {
    const { eventId } = request.params;
    const { since } = request.query;
    const map = await mapOf(eventId);
    if (since !== undefined) return map.changesSince(since);
    if (streams.isFull) throw ticketingErrors.fault('SEAT_STREAMS_FULL');
    const { raw } = reply;
    if (raw.destroyed) return reply.hijack();
    endWith(request.server.server);
    reply.hijack();
    for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value);
    raw.writeHead(200, {
      [callerHeaders.contentType]: 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      // Proxies that gather answers before passing them on would hold every change back.
      'x-accel-buffering': 'no',
    });
    // A question about the stream is none: without a body it would never end.
    if (request.method === 'HEAD') {
      raw.end();
      return reply;
    }
    // After a restart thousands come back: spread over seconds, and not all in the same one.
    raw.write(`retry: ${Math.round(retryMinMs + random.fraction() * (retryMaxMs - retryMinMs))}\n\n`);
    const socket: SeatStreamSocket = {
      write: (text) => raw.write(text),
      onDrain: (listener) => raw.once('drain', listener),
      end: () => raw.end(),
      destroy: () => raw.destroy(),
    };
    const unwatch = maps.watch(eventId);
    const known = knownVersion(request.headers[callerHeaders.lastEventId]);
    const remove = streams.add({ map, userId: request.user.userId, since: known, socket });
    raw.once('close', () => {
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

const watchMs = 200;

/** A server that stops waits for its answers, and streams never end by themselves: so they are ended when it stops listening. */
function createServerWatch(streams: SeatStreams): (server: Server) => void {
  const watched = new WeakSet<Server>();
  return (server) => {
    if (watched.has(server) || !server.listening) return;
    watched.add(server);
    const watch = setInterval(() => {
      if (server.listening) return;
      clearInterval(watch);
      streams.endAll();
    }, watchMs);
    watch.unref();
  };
}
