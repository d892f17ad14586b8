import { type AddressInfo, Server as NetServer } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** The client of a connection that has been idle for so long is not just sending its next request. */
const restMs = 300;

export interface Listening {
  readonly port: number;
  /** Stops accepting, lets what is in flight finish within the limit, then closes what is left. */
  close(limitMs: number): Promise<void>;
}

/**
 * Listens by Node's own means, since Fastify does not pass `reusePort` on: with it the kernel spreads connections
 * over all workers that listen on the same port.
 */
export async function listen(
  app: FastifyInstance,
  options: { host: string; port: number; reusePort: boolean },
): Promise<Listening> {
  await app.ready();
  const { server } = app;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ ...options, backlog: 4_096 }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close(limitMs) {
      // A busy connection is never idle when the sweep looks, and its client would be served until the limit.
      server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'));
      // Not HTTP's own `close`, which closes what is idle at once: the next request of a busy client may be on its way, and
      // it would be told of a reset instead of getting its answer, and being sent away with it.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
      const sweep = setInterval(() => server.closeIdleConnections(), restMs);
      const limit = setTimeout(() => server.closeAllConnections(), limitMs);
      await closed;
      clearInterval(sweep);
      clearTimeout(limit);
      // The rest of what HTTP's own `close` does.
      server.close(() => {});
      await app.close();
    },
  };
}
