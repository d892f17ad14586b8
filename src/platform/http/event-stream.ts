import type { Server } from 'node:http';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Random } from '../random.ts';
import { callerHeaders } from './names.ts';

/** One reader of server-sent events. */
export interface EventStreamSocket {
  /** False: the reader is slower than we write. */
  write(text: string): boolean;
  /** What was written is on its way. */
  onDrain(listener: () => void): void;
  end(): void;
  destroy(): void;
}

/** Takes the answer out of the server's hands: it lasts as long as the reader does. Null: there is nobody to write to. */
export type OpenEventStream = (
  request: { readonly method: string; readonly server: FastifyInstance },
  reply: FastifyReply,
) => (EventStreamSocket & { onClose(listener: () => void): void }) | null;

const retryMinMs = 1_000;
const retryMaxMs = 10_000;

/** `endAll` ends the streams that were opened here. */
export function createEventStreams({ random, endAll }: { random: Random; endAll: () => void }): OpenEventStream {
  const endWith = createServerWatch(endAll);
  return ({ method, server }, reply) => {
    const { raw } = reply;
    const headers = Object.entries(reply.getHeaders());
    reply.hijack();
    if (raw.destroyed) return null;
    endWith(server.server);
    for (const [name, value] of headers) if (value !== undefined) raw.setHeader(name, value);
    raw.writeHead(200, {
      [callerHeaders.contentType]: 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      // Proxies that gather answers before passing them on would hold every update back.
      'x-accel-buffering': 'no',
    });
    // A question about the stream is none: without a body it would never end.
    if (method === 'HEAD') {
      raw.end();
      return null;
    }
    // After a restart thousands come back: spread over seconds, and not all in the same one.
    raw.write(`retry: ${Math.round(retryMinMs + random.fraction() * (retryMaxMs - retryMinMs))}\n\n`);
    return {
      write: (text) => raw.write(text),
      onDrain: (listener) => raw.once('drain', listener),
      onClose: (listener) => raw.once('close', listener),
      end: () => raw.end(),
      destroy: () => raw.destroy(),
    };
  };
}

const watchMs = 200;

/** A server that stops waits for its answers, and streams never end by themselves: so they are ended when it stops listening. */
function createServerWatch(endAll: () => void): (server: Server) => void {
  const watched = new WeakSet<Server>();
  return (server) => {
    if (watched.has(server) || !server.listening) return;
    watched.add(server);
    const watch = setInterval(() => {
      if (server.listening) return;
      clearInterval(watch);
      endAll();
    }, watchMs);
    watch.unref();
  };
}
