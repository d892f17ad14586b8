import type { Server } from 'node:http';
import type { RouteHandler } from '#platform/http/contract.ts';
import { callerHeaders } from '#platform/http/names.ts';
import type { Random } from '#platform/random.ts';
import { queueErrors } from '../errors.ts';
import { type EventView, isInStore } from '../service/event-view.ts';
import type { Caller, Queue } from '../service/queue.ts';
import type { Snapshots } from '../service/snapshots.ts';
import type { StreamFacts, StreamSocket, Streams } from '../service/streams.ts';
import type { Callers } from './caller.ts';
import type { queueContracts } from './contracts.ts';

export type StreamHandler = RouteHandler<typeof queueContracts.streamQueue>;

const retryMinMs = 1_000;
const retryMaxMs = 10_000;
const positionPattern = /^[1-9]\d{0,9}$/;

/** Server-sent events. The answer is taken out of the server's hands: it lasts as long as the reader does. */
export function createStreamHandler(deps: {
  queue: Queue;
  snapshots: Snapshots;
  streams: Streams;
  callers: Callers;
  random: Random;
}): StreamHandler {
  const { queue, snapshots, streams, callers, random } = deps;
  const endWith = createServerWatch(streams);

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
    const { raw } = reply;
    if (raw.destroyed) return reply.hijack();
    endWith(request.server.server);
    reply.hijack();
    for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value);
    raw.writeHead(200, {
      [callerHeaders.contentType]: 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      // Proxies that gather answers before passing them on would hold every update back.
      'x-accel-buffering': 'no',
    });
    // A question about the stream is none: without a body it would never end.
    if (request.method === 'HEAD') {
      raw.end();
      return reply;
    }
    // After a restart thousands come back: spread over seconds, and not all in the same one.
    raw.write(`retry: ${Math.round(retryMinMs + random.fraction() * (retryMaxMs - retryMinMs))}\n\n`);
    const socket: StreamSocket = {
      write: (text) => raw.write(text),
      onDrain: (listener) => raw.once('drain', listener),
      end: () => raw.end(),
      destroy: () => raw.destroy(),
    };
    const smallest = lastPosition(request.headers[callerHeaders.lastEventId]);
    raw.once('close', streams.add({ eventId, userId: caller.userId, ...place, smallest, socket }, view));
    return reply;
  };
}

/** Said by the client, and used for nothing but what its own page shows. */
function lastPosition(header: string | string[] | undefined): number | null {
  return typeof header === 'string' && positionPattern.test(header) ? Number(header) : null;
}

const watchMs = 200;

/** A server that stops waits for its answers, and streams never end by themselves: so they are ended when it stops listening. */
function createServerWatch(streams: Streams): (server: Server) => void {
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
